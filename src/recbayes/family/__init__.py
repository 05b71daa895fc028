"""What every family of models is and shares."""
