"""The posterior over trees: draws with exact weights, node probabilities, decoding, latent values."""
