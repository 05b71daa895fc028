"""
A sentence with two readings
============================

Who has the telescope? A probabilistic grammar knows two trees for this sentence, and how probable each is.
"""

# %%
# Grammars are recursive Bayesian networks whose variables have names as values. Everything is exact.
from matplotlib import pyplot as plt

import recbayes as rb

RULES = """
    S -> NP VP [1.0]
    NP -> Det N [0.6] | NP PP [0.1] | 'I' [0.3]
    VP -> V NP [0.6] | VP PP [0.4]
    PP -> P NP [1.0]
    Det -> 'the' [1.0]
    N -> 'man' [0.5] | 'telescope' [0.5]
    V -> 'saw' [1.0]
    P -> 'with' [1.0]
"""
grammar = rb.PCFG.from_string(RULES)
words = ["I", "saw", "the", "man", "with", "the", "telescope"]
posterior = rb.sample_posterior(grammar, words, draws=500, seed=0)
readings = posterior.best(2)
print([round(one.probability, 2) for one in readings])

# %%
# The more probable reading. Words take the place of dates on the axis.
rb.plot.tree(readings[0].tree, labels=True, index=words)

# %%
# What the two readings share, and what not: only the phrase "saw the man", or "the man with the telescope".
rb.plot.trees({f"p = {one.probability:.2f}": one.tree for one in readings}, index=words)

# %%
# The same as a chart, in the manner of textbooks on parsing:
tree = readings[0].tree
rb.plot.chart(tree, observed=words, texts={node.span: node.label for node in tree})
plt.show()
