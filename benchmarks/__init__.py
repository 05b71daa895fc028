"""What recbayes costs: `make bench`. Every time is also given as a ratio to a yardstick timed in the same run."""
