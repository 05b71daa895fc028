"""The most probable values of general models, with the structure summed out."""
