"""Charts of general models at fixed values: cells and edges, their weights, and what follows from them."""
