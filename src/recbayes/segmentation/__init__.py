"""`rb.segment`: the one call from data to change points, segments and their tree."""
