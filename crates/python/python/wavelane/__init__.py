"""HLSL wave intrinsics, exact, at any wave width, without a GPU.

    import numpy as np, wavelane as wl
    kernel = wl.compile("compact.hlsl", defines={"N": 64})
    kernel[groups](Items=items, Kept=kept, KeptCount=count)   # in place, no copy
"""

from ._wavelane import (
    ArgumentError,
    BoundLaunch,
    CompileError,
    CompileWarning,
    Error,
    Finding,
    InternalError,
    Kernel,
    Launch,
    Report,
    Sweep,
    Texture,
    Timeline,
    Trap,
    Unsupported,
    __version__,
    compile,
    engines,
    san,
    sweep,
    timeline,
)

__all__ = [
    "ArgumentError",
    "BoundLaunch",
    "CompileError",
    "CompileWarning",
    "Error",
    "Finding",
    "InternalError",
    "Kernel",
    "Launch",
    "Report",
    "Sweep",
    "Texture",
    "Timeline",
    "Trap",
    "Unsupported",
    "__version__",
    "compile",
    "engines",
    "san",
    "sweep",
    "timeline",
]
