"""Whether data may be what a model is about, told before work that would take long if they are not."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from recbayes.cli.models import Given

FAR = 5.0  # standard deviations


def notes_on_units(model: Any, given: "list[Given]") -> list[str]:
    """Columns that lie far from where the model expects its values, one line each; nothing where that cannot be told."""
    expected = _expected(model)
    tables = [one.table for one in given if one.table is not None]
    if expected is None or not tables or any(table.values.shape[1] != len(expected[0]) for table in tables):
        return []
    values = np.concatenate([table.values for table in tables])
    names = tables[0].names or tuple(map(str, range(1, values.shape[1] + 1)))
    notes = []
    for name, column, mean, std in zip(names, values.T, *expected, strict=True):
        there = column[np.isfinite(column)]
        if len(there) and abs(np.median(there) - mean) > FAR * std:
            which = f"data of column {name!r}" if len(names) > 1 else "the data"
            ends = f"{there.min():.4g} to {there.max():.4g}"
            notes.append(
                f"{which} are {ends}, the model expects {mean:.4g} ± {std:.2g}: were they measured in the same units? "
                "Trees by a model that does not fit take long and say little"
            )
    return notes


def _expected(model: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Means and standard deviations of what a model emits near its root; None for models that map values to others."""
    prior, variables = getattr(model, "prior", None), getattr(model, "variables", ())
    components = getattr(prior, "components", ())
    if not components or not all(hasattr(one, "rules") and one.dim == model.observed_dim for one in variables):
        return None
    width = model.observed_dim
    weights = np.array([one.weight for one in components])
    means = np.array([one.mean for one in components])
    if any(set(one.shifts) != {0} for one in components):
        return None
    mean = weights @ means / weights.sum()
    inside = [np.diag(one.covariance) + (one.mean - mean) ** 2 for one in components]
    more, noise = np.zeros(width), np.zeros(width)
    for rule in (rule for variable in variables for rule in variable.rules):
        for link in (getattr(rule, "left_link", None), getattr(rule, "right_link", None)):
            if link is not None:
                if link.map is not None or link.offset is not None:
                    return None
                more = np.maximum(more, np.diag(link.covariance))
        if hasattr(rule, "length"):
            covariance = getattr(rule, "covariance", None)
            if covariance is None or rule.map is not None or rule.offset is not None:
                return None
            noise = np.maximum(noise, np.diag(covariance))
    return mean, np.sqrt(weights @ np.array(inside) / weights.sum() + more + noise)
