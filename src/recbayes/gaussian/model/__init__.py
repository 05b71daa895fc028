"""What a Gaussian RBN is."""
