"""CPU time of a cold start: `afere --help`, `import afere`, and what a bare interpreter costs."""

import statistics
import sys

from throughput import cpu_seconds

COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "import afere": [sys.executable, "-c", "import afere"],
    "afere --help": [sys.executable, "-m", "afere", "--help"],
    "afere run --help": [sys.executable, "-m", "afere", "run", "--help"],
}


def main() -> None:
    for name, command in COMMANDS.items():
        seconds = statistics.median(cpu_seconds(command) for _ in range(7))
        print(f"{name:18} {seconds:.3f} s CPU (median of 7)")


if __name__ == "__main__":
    main()
