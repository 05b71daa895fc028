"""The verbs that users call."""
