"""From one family to another."""
