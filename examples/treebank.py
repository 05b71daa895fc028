"""A grammar from a treebank: relative frequencies from one part of it, labelled F1 on the other.

The treebank is made up, in the size and manner of a sample of real ones: phrases of one to four children, tags, and words
with Zipf's frequencies that belong to several tags. Run it with `.venv/bin/python examples/treebank.py`.
"""

import time

import numpy as np

import recbayes as rb


def made_up_language(seed: int, phrases: int = 20, tags: int = 35, words: int = 3000, rules: int = 25) -> rb.PCFG:
    """A random grammar with Zipf's weights whose trees end: less than one phrase per phrase on average."""
    rng = np.random.default_rng(seed)
    phrase_names, tag_names = [f"P{n}" for n in range(phrases)], [f"T{n}" for n in range(tags)]
    found: list[rb.Rule] = []
    for number, phrase in enumerate(phrase_names):
        weights = 1.0 / np.arange(1, rules + 1)
        for weight in weights:
            count = int(rng.choice([1, 2, 3, 4], p=[0.1, 0.5, 0.3, 0.1]))
            right = [
                phrase_names[rng.integers(phrases)] if rng.random() < 0.34 else tag_names[rng.integers(tags)]
                for _ in range(count)
            ]
            if count == 1 and right[0] in phrase_names[: number + 1]:  # no unary rules that lead round
                right = [tag_names[rng.integers(tags)]]
            found.append(rb.Rule(phrase, tuple(right), float(weight)))
    for tag in tag_names:
        size = int(rng.integers(20, 200))
        chosen = rng.choice(words, size=size, replace=False)
        found += [rb.Rule(tag, (rb.Terminal(f"w{word}"),), 1.0 / rank) for rank, word in enumerate(chosen, start=1)]
    return rb.PCFG("P0", found).normalised()


def main(train: int = 2000, test: int = 200) -> tuple[float, float]:
    """Print sizes, labelled and bare F1, and the time per sentence. Returns the labelled F1 of both trees."""
    language = made_up_language(0)
    bank = [language.sample(seed=seed, min_length=4, max_length=30) for seed in range(train + test)]
    grammar = rb.PCFG.from_treebank([(tree, tokens) for tokens, tree in bank[:train]])
    known = set(grammar.terminals)
    best, expected, bare, spent, failed = [], [], [], 0.0, 0
    for tokens, true in bank[train:]:
        start = time.perf_counter()
        try:
            chart = rb.inside(grammar, [token if token in known else None for token in tokens])
        except rb.LengthError:
            failed += 1
            best.append(0.0)
            expected.append(0.0)
            continue
        found = rb.best_tree(chart)
        spent += time.perf_counter() - start
        posterior = rb.sample_posterior(grammar, [token if token in known else None for token in tokens], draws=200, seed=0)
        best.append(rb.node_scores(true, found, labelled=True).f1)
        expected.append(rb.node_scores(true, posterior.tree(), labelled=True).f1)
        bare.append(rb.node_scores(true, found).f1)
    lengths = [len(tokens) for tokens, _ in bank[train:]]
    print(f"grammar from {train} trees: {len(grammar.nonterminals)} non-terminals, {len(grammar.terminals)} words, ", end="")
    print(f"{len(grammar.rules)} rules")
    print(f"{test} sentences of {np.mean(lengths):.1f} words on average, {failed} without a tree")
    print(f"labelled F1 of the most probable tree {np.mean(best):.3f}, of the expected-F1 tree {np.mean(expected):.3f}")
    print(f"F1 of the most probable tree's bare spans {np.mean(bare):.3f}; {1e3 * spent / test:.1f} ms per sentence")
    return float(np.mean(best)), float(np.mean(expected))


if __name__ == "__main__":
    main()
