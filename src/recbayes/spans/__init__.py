"""Which spans exist."""
