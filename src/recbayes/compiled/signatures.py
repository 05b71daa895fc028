"""Types of a kernel's arguments as JSON and back.

A type is a list whose first entry says what it is. Named tuples and records, which come again and again, are written once
in a list of their own, and referred to by their number there.
"""

from importlib import import_module
from typing import Any

import numpy as np
from numba.core import types as _types
from numba.np.numpy_support import as_dtype, from_dtype

types: Any = _types  # what numba makes at import is not in its annotations


def encode(kind: Any, shared: list[Any]) -> list[Any]:
    """A type as JSON; named tuples and records are added to those that are shared, unless they are there."""
    if isinstance(kind, types.Array):
        return ["array", encode(kind.dtype, shared), kind.ndim, kind.layout, kind.mutable]
    if isinstance(kind, types.Record):
        dtype: Any = as_dtype(kind)
        fields = [[name, dtype.fields[name][0].str, dtype.fields[name][1]] for name in dtype.names]
        return _shared(["record", fields, dtype.itemsize, dtype.isalignedstruct], shared)
    if isinstance(kind, types.BaseNamedTuple):
        place = f"{kind.instance_class.__module__}:{kind.instance_class.__qualname__}"
        return _shared(["named", place, [encode(one, shared) for one in kind.types]], shared)
    if isinstance(kind, types.BaseTuple):
        return ["tuple", [encode(one, shared) for one in kind.types]]
    if isinstance(kind, types.Literal):
        return ["literal", kind.literal_value]
    if isinstance(kind, types.NoneType):
        return ["none"]
    if isinstance(kind, types.Number | types.Boolean):
        return ["number", "boolean" if isinstance(kind, types.Boolean) else kind.name]
    raise TypeError(f"arguments of kernels are arrays, numbers, and tuples and records of these, not {kind}")


def decode(written: list[Any], shared: list[Any]) -> Any:
    """The type that was written."""
    kind, *parts = written
    match kind:
        case "array":
            dtype, ndim, layout, mutable = parts
            return types.Array(decode(dtype, shared), ndim, layout, readonly=not mutable)
        case "record":
            fields, itemsize, aligned = parts
            names, formats, offsets = zip(*fields, strict=True)
            described: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": itemsize}
            return from_dtype(np.dtype(described, align=aligned))
        case "named":
            module, name = parts[0].split(":")
            kinds = [decode(one, shared) for one in parts[1]]
            return types.BaseTuple.from_types(kinds, getattr(import_module(module), name))
        case "tuple":
            return types.BaseTuple.from_types([decode(one, shared) for one in parts[0]])
        case "literal":
            return types.literal(parts[0])
        case "none":
            return types.none
        case "number":
            return getattr(types, parts[0])
        case "shared":
            return decode(shared[parts[0]], shared)
    raise ValueError(f"there are no types of the kind {kind!r}; write the table anew")


def _shared(written: list[Any], shared: list[Any]) -> list[Any]:
    if written not in shared:
        shared.append(written)
    return ["shared", shared.index(written)]
