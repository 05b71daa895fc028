"""`recbayes demo`."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from recbayes.tree.tree import Tree


def demo(
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random series.")] = 0,
    length: Annotated[int, typer.Option(min=1, help="Number of observations.")] = 50,
) -> None:
    """Sample a series from the paper's synthetic model, infer its tree and compare it with the true one."""
    import numpy as np
    from rich.console import Console

    import recbayes as rb
    from recbayes.errors import LengthError
    from recbayes.studies.synthetic.data import paper_model

    console = Console()
    model = paper_model(0.05)
    try:
        series, true_tree = model.sample(seed=seed, min_length=length, max_length=length)
    except LengthError as problem:
        raise typer.BadParameter(str(problem), param_hint="--length") from problem

    console.print("[bold]A recursive Bayesian network generates a tree, and the tree a series.[/bold]")
    console.print(
        "Each node of the tree has a value in three dimensions. It splits into two noisy copies of itself, of which the "
        "left one may be rotated by one dimension, or it ends and emits some noisy observations.\n",
        highlight=False,
    )
    console.print(repr(model), highlight=False, markup=False)
    console.print(f"\nSampled with seed {seed}: {len(series)} observations.\n")
    _print_tree(console, "The true tree", true_tree)

    console.print("\nInferring the tree from the observations alone ...")
    with console.status("drawing 1000 trees from the posterior (kernels are compiled on the first run)"):
        posterior = rb.sample_posterior(model, series, draws=1000, seed=seed)
        tree = posterior.tree()
    console.print()
    _print_tree(console, "The inferred tree, with node probabilities", tree, known=set(true_tree.spans))
    segments = posterior.segment_count_probability
    likely = ", ".join(f"{n} ({segments[n]:.0%})" for n in np.argsort(-segments)[:3] if segments[n] >= 0.005)
    console.print(
        f"\nlog evidence: {posterior.log_evidence:.3f} ± {posterior.log_evidence_error:.3f} "
        f"(1000 draws worth {posterior.effective_sample_size:.0f})\n"
        f"number of segments: {likely}; {len(true_tree.leaves)} in truth\n"
        f"F1 to be expected of this tree: {posterior.expected_f1:.2f}",
        highlight=False,
    )
    _print_agreement(console, tree, true_tree)


def _print_tree(console: "Console", title: str, tree: "Tree", known: set[tuple[int, int]] | None = None) -> None:
    console.print(f"[bold]{title}[/bold] ({len(tree)} nodes, {len(tree.leaves)} leaves, depth {tree.depth})")
    for node, line in zip(tree, str(tree).splitlines(), strict=True):
        style = None if known is None else "green" if node.span in known else "yellow"
        console.print(line, style=style, highlight=False, markup=False, no_wrap=True, overflow="ellipsis")


def _print_agreement(console: "Console", tree: "Tree", true_tree: "Tree") -> None:
    """Precision, recall and F1 of the spans, as in the paper's evaluation."""
    from recbayes.tree.metrics import node_scores

    scores = node_scores(true_tree, tree)
    console.print(
        f"{scores.shared:.0f} node spans agree (green), of {len(tree)} inferred and {len(true_tree)} true ones: "
        f"precision {scores.precision:.2f}, recall {scores.recall:.2f}, F1 {scores.f1:.2f}"
    )
