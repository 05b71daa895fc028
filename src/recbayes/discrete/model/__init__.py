"""What a grammar or discrete RBN is."""
