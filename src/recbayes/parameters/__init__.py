"""Free parameters: quantities that describe themselves, their free form, and the vector of all of them."""
