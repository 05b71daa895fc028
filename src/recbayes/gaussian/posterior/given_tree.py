"""A tree that is given: its exact joint probability with the data, and the exact values of its nodes.

Given the tree, a Gaussian RBN is one joint Gaussian, so both are exact: messages go up from the leaves once, and contexts
down from the root once (smoothing on the tree).
"""

from dataclasses import replace

import numpy as np
from scipy.special import logsumexp

from recbayes.checks.series import Series
from recbayes.compiled.compilation import run_kernel
from recbayes.compiled.layout import lay_out_rows, message_entries, pack_messages, put_end_to_end, row_block, unpack_messages
from recbayes.errors import DataError
from recbayes.gaussian.chart.coordinates import moments_outside
from recbayes.gaussian.chart.emissions import expected_of, length_log_probability
from recbayes.gaussian.chart.inside import dimensions
from recbayes.gaussian.chart.plan import Plan, make_plan, ticks_at
from recbayes.gaussian.chart.tables import Origins, Tables, emit_rules, tables_of
from recbayes.gaussian.kernels.follow import follow_trees
from recbayes.gaussian.kernels.listing import Problem, nothing_given
from recbayes.gaussian.model.moments import matched_moments
from recbayes.gaussian.model.naming import rule_name
from recbayes.gaussian.model.parts import Variable
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.tree.tree import Tree


def log_joint(model: GaussianRBN, series: Series, tree: Tree) -> float:
    """log p(Y, Z): the exact log probability of a checked series and a tree, all continuous variables integrated out."""
    log_joints, _ = _follow(model, series, tree, None)
    return float(logsumexp(log_joints))


def smooth(model: GaussianRBN, series: Series, tree: Tree) -> Tree:
    """The tree with the posterior mean and covariance of each node's value, given all data and this tree: exact."""
    log_joints, _ = _follow(model, series, tree, None)
    total = logsumexp(log_joints)
    if total == -np.inf:
        raise DataError("the model cannot generate the series with this tree, so its nodes have no values")
    shares = np.exp(log_joints - total)
    parts = []
    for component in np.flatnonzero(shares > 1e-300):  # Gaussians of the prior: usually one
        _, values = _follow(model, series, tree, int(component))
        parts.append((shares[component], values))
    _, variables, _ = encode(model, tree)
    size = max(variable.dim for variable in model.variables)
    nodes = []
    for n, node in enumerate(tree.nodes):
        moments = [(share, *unpack_density(values[n], size, model.variables[variables[n]].dim)) for share, values in parts]
        mean, covariance = moments_outside(model, variables[n], *matched_moments(moments))
        nodes.append(replace(node, value=mean, covariance=covariance))
    return Tree(nodes, tree.arities)


def check_cover(series: Series, tree: Tree) -> None:
    """An error if the tree is not one of the whole series."""
    start, end = tree.nodes[0].span
    if (start, end) != (0, len(series)):
        raise DataError(f"the tree covers {start}:{end}, the series has {len(series)} observations")


def unpack_density(entries: np.ndarray, size: int, dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of a density in the compiled layout (padded to the largest dimension)."""
    _, mean, covariance = unpack_messages(entries, size)
    return mean[:dim].copy(), covariance[:dim, :dim].copy()


def _follow(model: GaussianRBN, series: Series, tree: Tree, component: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Log joint probabilities with each Gaussian of the prior, and, given one of them, densities of all nodes' values."""
    check_cover(series, tree)
    tables, origins = tables_of(model)
    rules, _, edges = encode(model, tree)
    positions = np.array(edges, dtype=np.int64)
    ends = np.searchsorted(positions, [node.end for node in tree.nodes])
    splits = np.where(rules >= 0, np.append(ends[1:], 0), 0)
    log_joints = np.empty((1, len(origins.prior)))
    values = np.empty((0 if component is None else len(tree), message_entries(tables.size)))
    run_kernel(
        follow_trees,
        _leaf_problem(model, tables, origins, series, positions),
        np.stack([rules, splits, np.zeros_like(rules)]),
        np.array([len(tree)]),
        np.array([component or 0]),
        log_joints,
        values,
    )
    return log_joints[0], values


def _leaf_problem(model: GaussianRBN, tables: Tables, origins: Origins, series: Series, positions: np.ndarray) -> Problem:
    """What following a tree needs: no chart, only the potentials of its leaves (as emissions of width one)."""
    size, leaves = tables.size, len(positions) - 1
    rules = emit_rules(model, origins)
    high = np.full((len(rules), leaves + 1), -1)
    high[:, 1] = leaves - 1
    emit_rows, sizes = lay_out_rows(np.zeros_like(high), high, size)
    put_end_to_end(emit_rows, sizes)
    messages = np.zeros(sizes.sum())
    for e, rule in enumerate(rules):
        potentials = rule.of_leaves(series, positions, size, expected_of(model, origins, e))
        row_block(messages, 0, emit_rows[e, 1], size)[:, :leaves] = pack_messages(*potentials).T
    ticks = ticks_at(positions, series.ticks)
    plan = make_plan(tables, 1)._replace(positions=positions, ticks=ticks, emit_rows=emit_rows, emit_base=0)
    return Problem(tables, plan, *constants_of(model, origins, plan), messages, 1, nothing_given(size))


def constants_of(model: GaussianRBN, origins: Origins, plan: Plan) -> tuple[np.ndarray, np.ndarray]:
    """Dimensions of the variables, and log probabilities of all emissions' lengths."""
    return dimensions(model), length_log_probability(model, origins, plan)


def encode(model: GaussianRBN, tree: Tree) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Rules of the tables (negative: emissions) and variables of all nodes, and the edges of the leaves."""
    tables, origins = tables_of(model)
    splits = {(v, rule_name(model.variables[v], r, shift)): n for n, (v, r, shift) in enumerate(origins.rules)}
    emits = {(v, rule_name(model.variables[v], r, member=m)): -1 - n for n, (v, r, m) in enumerate(origins.emits)}
    expected = [_root_of(model, tree)]
    rules, variables, edges = [], [], [0]
    for node, arity in zip(tree.nodes, tree.arities, strict=True):
        v = expected.pop()
        variable = model.variables[v]
        if node.label not in ("", variable.name):
            raise DataError(
                f"node {node.start}:{node.end} is labelled {node.label!r}, where the model has {variable.name!r}"
            )
        if arity not in (0, 2):
            raise DataError(f"node {node.start}:{node.end} has {arity} children; in a Gaussian RBN it has two or none")
        names = {name: number for (owner, name), number in (splits if arity else emits).items() if owner == v}
        rule = _rule_number(names, node.rule, variable, (node.start, node.end))
        variables.append(v)
        rules.append(rule)
        if arity:
            left, right = tables.rules["left"][rule], tables.rules["right"][rule]
            expected += [int(tables.links["child"][right]), int(tables.links["child"][left])]
        else:
            edges.append(node.end)
    return np.array(rules), np.array(variables), edges


def _root_of(model: GaussianRBN, tree: Tree) -> int:
    """The variable of a tree's root, which it must name if there are several."""
    names, roots = [variable.name for variable in model.variables], list(model.prior.weights_of_roots)
    label = tree.nodes[0].label
    if label in roots:
        return names.index(label)
    if label == "" and len(roots) > 1:
        raise DataError(f"the tree does not say which variable its root is; label its first node with one of {roots}")
    return names.index(roots[0])


def _rule_number(names: dict[str, int], wanted: str, variable: Variable, span: tuple[int, int]) -> int:
    if wanted in names:
        return names[wanted]
    if wanted:
        raise DataError(
            f"node {span[0]}:{span[1]} uses the rule {wanted!r}; {variable.name} has {sorted(names)} for such a node"
        )
    if len(names) != 1:
        raise DataError(
            f"node {span[0]}:{span[1]} does not say which of the rules of {variable.name} it uses: {sorted(names)}. Name "
            "it, or sum over the rules with sample_posterior(model, series, allowed=tree.span_mask())"
        )
    return next(iter(names.values()))
