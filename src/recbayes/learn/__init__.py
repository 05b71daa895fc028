"""Parameters as free vectors, and gradients with respect to them."""
