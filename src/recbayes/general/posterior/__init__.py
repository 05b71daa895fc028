"""What is known of the trees of a sequence, by a general model."""
