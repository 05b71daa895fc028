"""Hidden Markov models and linear dynamical systems."""
