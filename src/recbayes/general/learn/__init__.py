"""Learning the parameters of general models."""
