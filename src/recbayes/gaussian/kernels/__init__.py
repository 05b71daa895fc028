"""Compiled passes over Gaussian charts and trees."""
