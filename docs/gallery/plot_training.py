"""
Learning a model, and watching it
=================================

``rb.fit`` climbs the evidence of several series from several starts, first a little, then the best to the end. How it
went tells whether to trust the result.
"""

# %%
# Six series of a model with known parameters, and a model to begin with that was guessed from the series alone.
from matplotlib import pyplot as plt

import recbayes as rb

truth = rb.GaussianRBN.create(1, left_std=0.5, right_std=1.0, noise_std=0.3, termination=0.6, extra_observations=4.0)
series = [truth.sample(seed=seed, min_length=15, max_length=30)[0] for seed in range(6)]
start = rb.GaussianRBN.guess(series, extra_observations=True)
fit = rb.fit(start, series, restarts=1, seed=0, exact=0, progress=False)
print(fit)

# %%
# Dots are evaluations, the line is the best so far, both in nats below the best of all. A new climb begins where dots
# go up. Climbs that come down to the same level agree; those that stay above it have found a worse optimum, and are
# what restarts are for.
ax = rb.plot.history(fit)

# %%
# Restarts cost time. One climb from the guess alone needs fewer evaluations:
ax = rb.plot.history(fit, label="one restart")
rb.plot.history(rb.fit(start, series, restarts=0, seed=0, exact=0, progress=False), label="no restart", ax=ax)
ax.legend()
plt.show()
