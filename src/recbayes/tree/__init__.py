"""Trees over sequences."""
