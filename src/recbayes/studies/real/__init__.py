"""Change points of real series that people have annotated: how well methods agree with them."""
