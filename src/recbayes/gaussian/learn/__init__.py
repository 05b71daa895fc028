"""What is free in a Gaussian RBN, and its derivatives."""
