"""Series from files: tables in text, arrays of numpy, JSON lines and Parquet. What is not told is guessed, and said."""
