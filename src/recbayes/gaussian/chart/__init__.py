"""Charts of Gaussian messages."""
