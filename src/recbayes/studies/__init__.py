"""The paper's experiments, run again and carried further, and the methods they are compared with."""
