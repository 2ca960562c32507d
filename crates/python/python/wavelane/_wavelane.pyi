from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

__version__: str

class Error(Exception): ...
class CompileError(Error): ...
class CompileWarning(UserWarning): ...
class ArgumentError(Error): ...
class Unsupported(Error): ...
class Trap(Error): ...
class InternalError(Error): ...

Groups = int | Sequence[int]

class Kernel:
    @property
    def entry(self) -> str: ...
    @property
    def group_size(self) -> tuple[int, int, int]: ...
    @property
    def wave_size(self) -> int: ...
    @property
    def wave_sizes(self) -> list[int]: ...
    @property
    def engine(self) -> str: ...
    @property
    def threads(self) -> int: ...
    @property
    def resources(self) -> dict[str, str]: ...
    def at(
        self,
        *,
        wave_size: int | None = None,
        threads: int | None = None,
        engine: str | None = None,
        fuel: int | None = None,
    ) -> Kernel: ...
    def prepare(self) -> None: ...
    def bind(self, groups: Groups, **arguments: Any) -> BoundLaunch: ...
    def __getitem__(self, groups: Groups) -> Launch: ...

class Launch:
    @property
    def groups(self) -> tuple[int, int, int]: ...
    def bind(self, **arguments: Any) -> BoundLaunch: ...
    def __call__(self, **arguments: Any) -> None: ...

class BoundLaunch:
    def __call__(self) -> None: ...

class Finding:
    id: str
    level: str
    message: str
    file: str | None
    line: int | None
    column: int | None
    widths: list[int]
    text: str

class Report:
    findings: list[Finding]
    widths: list[int]
    runs: int
    @property
    def clean(self) -> bool: ...
    def _repr_html_(self) -> str: ...

class Sweep:
    results: dict[int, dict[str, memoryview]]
    widths: list[int]
    @property
    def differences(self) -> dict[str, list[list[int]]]: ...
    def _repr_html_(self) -> str: ...

class Texture:
    data: Any
    format: str | None
    size: list[int] | None
    layers: int | None
    mips: int
    samples: int
    def __init__(
        self,
        data: Any,
        *,
        format: str | None = None,
        size: Sequence[int] | None = None,
        layers: int | None = None,
        mips: int = 1,
        samples: int = 1,
    ) -> None: ...

class Timeline:
    html: str
    complete: bool
    wave_size: int
    def save(self, path: str | PathLike[str]) -> None: ...
    def _repr_html_(self) -> str: ...

def compile(
    source: str | PathLike[str],
    *,
    defines: Mapping[str, object] | None = None,
    entry: str = "main",
    includes: Sequence[str | PathLike[str]] = (),
    enable_16bit: bool = False,
    name: str | None = None,
    engine: str | None = None,
    wave_size: int | None = None,
    threads: int = 1,
) -> Kernel: ...
def engines() -> list[str]: ...
def san(
    kernel: Kernel,
    groups: Groups,
    *,
    widths: Sequence[int] | None = None,
    thorough: bool = False,
    **arguments: Any,
) -> Report: ...
def sweep(
    kernel: Kernel,
    groups: Groups,
    *,
    widths: Sequence[int] | None = None,
    **arguments: Any,
) -> Sweep: ...
def timeline(
    kernel: Kernel,
    groups: Groups,
    *,
    wave_size: int | None = None,
    window: str | None = None,
    limit: int = ...,
    **arguments: Any,
) -> Timeline: ...
def command(words: Sequence[str], program: Sequence[str]) -> int: ...
