"""Helpers for tests of shaders, with pytest or without."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ._wavelane import Kernel, sweep

__all__ = ["assert_agrees"]


def assert_agrees(
    kernel: Kernel,
    groups: int | Sequence[int],
    *,
    expected: Mapping[str, Any] | Callable[[int], Mapping[str, Any]] | None = None,
    widths: str | Sequence[int] = "all",
    **arguments: Any,
) -> None:
    """Runs `kernel` at several widths on copies of the arguments, and compares what it leaves.

    `expected` gives by name what a resource must hold, or is a function that gives this for a width.
    Resources that it does not name, and all without it, must hold the same at every width.
    """
    chosen = kernel.wave_sizes if isinstance(widths, str) else list(widths)
    if isinstance(widths, str) and widths != "all":
        raise ValueError(f"`widths` is \"all\" or a list of widths, not {widths!r}")
    ran = sweep(kernel, groups, widths=chosen, **arguments)
    named: set[str] = set()
    for width in chosen:
        wanted = expected(width) if callable(expected) else (expected or {})
        for name, values in wanted.items():
            named.add(name)
            if name not in ran.results[width]:
                raise AssertionError(f"the shader writes no resource `{name}`")
            _compare(name, width, *_numbers(ran.results[width][name], values))
    for name, groups_of_widths in ran.differences.items():
        if name not in named:
            shown = "; ".join(", ".join(map(str, it)) for it in groups_of_widths)
            raise AssertionError(f"`{name}` depends on the width: these agree with each other: {shown}")


def _numbers(got: memoryview, wanted: Any) -> tuple[list[Any], list[Any]]:
    """The numbers of both. A `memoryview` has only bytes of structures; the array that is wanted says what they are."""
    dtype = getattr(wanted, "dtype", None)
    if getattr(dtype, "names", None):
        import numpy as np

        return _flat(np.frombuffer(got, dtype)), _flat(wanted)
    return got.tolist(), _flat(wanted)


def _flat(values: Any) -> list[Any]:
    if hasattr(values, "tolist"):
        values = values.tolist()
    if not isinstance(values, (list, tuple)):
        return [values]
    flat: list[Any] = []
    for value in values:
        flat.extend(_flat(value))
    return flat


def _compare(name: str, width: int, got: list[Any], wanted: list[Any]) -> None:
    if len(got) != len(wanted):
        raise AssertionError(
            f"with waves of {width} lanes: `{name}` has {len(got)} numbers, and {len(wanted)} are expected"
        )
    for index, (one, other) in enumerate(zip(got, wanted)):
        # NaN is what it is, whichever it is.
        if one != other and not (one != one and other != other):
            raise AssertionError(
                f"with waves of {width} lanes: `{name}[{index}]` is {one!r}, and {other!r} is expected"
            )
