"""The parameters of a general model by name: `words`, `layers[0]`, `net.bias`; what each may be, its domain says."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from recbayes.general.model.checks import named
from recbayes.general.model.rbn import RBN
from recbayes.general.model.supports import Positive, Simplex
from recbayes.parameters.quantity import Quantity, Values

KINDS: dict[Any, str] = {Positive: "positive", Simplex: "probabilities"}


def quantities(model: RBN) -> list[Quantity]:
    """Whole numbers and truth values stay as they are."""
    found = []
    for name, value in named(model.parameters).items():
        array = np.asarray(value, dtype=np.float64) if np.asarray(value).dtype.kind == "f" else None
        if array is None or not array.size:
            continue
        kind: Any = KINDS.get(type(model.domains.get(name)), "numbers")
        if kind == "probabilities" and array.ndim != 1:
            rows = array.reshape(-1, array.shape[-1])
            found += [Quantity(f"{name}[{n}]", kind, row) for n, row in enumerate(rows)]
        else:
            found.append(Quantity(name, kind, float(array) if array.ndim == 0 and kind == "positive" else array))
    return found


def replaced(model: RBN, values: Values) -> RBN:
    return model.with_parameters(_rebuilt(model.parameters, values, ""))


def _rebuilt(parameters: Any, values: Values, name: str) -> Any:
    if isinstance(parameters, Mapping):
        return {key: _rebuilt(one, values, f"{name}.{key}" if name else str(key)) for key, one in parameters.items()}
    if isinstance(parameters, list | tuple):
        return type(parameters)(_rebuilt(one, values, f"{name}[{n}]") for n, one in enumerate(parameters))
    name = name or "parameters"
    if name in values:
        return np.asarray(values[name], dtype=np.float64).reshape(np.shape(parameters))
    if f"{name}[0]" in values:
        array = np.array(parameters, dtype=np.float64)
        rows = array.reshape(-1, array.shape[-1])
        for n in range(len(rows)):
            rows[n] = values.get(f"{name}[{n}]", rows[n])
        return rows.reshape(array.shape)
    return parameters


def slopes(model: RBN, derivatives: Any) -> dict[str, Any]:
    """Derivatives of all quantities, from those of the parameters: of probabilities with respect to their logarithms."""
    by_name, own = named(derivatives), named(model.parameters)
    found: dict[str, Any] = {}
    for name, value in own.items():
        slope = np.asarray(by_name[name], dtype=np.float64)
        if isinstance(model.domains.get(name), Simplex):
            slope = slope * np.asarray(value)
            if slope.ndim > 1:
                found |= {f"{name}[{n}]": row for n, row in enumerate(slope.reshape(-1, slope.shape[-1]))}
                continue
        found[name] = slope
    return found
