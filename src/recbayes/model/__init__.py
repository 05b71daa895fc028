"""What a recursive Bayesian network is: variables, rules, prior; sampling from it; keeping it in a file."""
