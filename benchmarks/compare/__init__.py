"""`make compare`: recbayes beside ruptures, claspy, Rbeast, hmmlearn and torch-struct, in one table.

What each library does (`features.py`), how well they find change points of series whose truth is known (`series.py`,
`quality.py`) or that people have annotated, and how long they take (`speed.py`). Everything is called as its manual says,
with nothing tuned (`methods.py`).
"""
