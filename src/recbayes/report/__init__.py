"""What was found, as one page that any browser opens: one plain document describes it, and the page draws that."""
