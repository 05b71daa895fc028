"""Candidate boundaries of long series: where segments may begin and end, found by the model's own leaves without a tree."""
