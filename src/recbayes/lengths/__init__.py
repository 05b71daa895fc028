"""How many observations a leaf has."""
