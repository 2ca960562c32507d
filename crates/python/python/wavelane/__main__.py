"""The command `wavelane`, also as `python -m wavelane`."""

import signal
import sys

from ._wavelane import command


def main() -> int:
    # Python's own handler would wait for the command to return.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return command(["wavelane", *sys.argv[1:]], [sys.executable, "-m", "wavelane"])


if __name__ == "__main__":
    sys.exit(main())
