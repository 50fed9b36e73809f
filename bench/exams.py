"""What reading a booklet costs: CPU and memory, beside plain text extraction by pypdf.

Run: python bench/exams.py BOOKLET.pdf [...]
"""

import resource
import subprocess
import sys
import time
from pathlib import Path

SECONDS_ALLOWED, MEBIBYTES_ALLOWED = 2.0, 300  # where no font needs mending


def main() -> None:
    paths = sys.argv[1:]
    if not paths:
        sys.exit(__doc__)
    print(
        f"{'booklet':<34} {'pages':>5} {'found':>5} {'mended':>6} {'CPU s':>6} {'MiB':>5}  pypdf s"
    )
    for path in paths:
        ours = measured("--ours", path)
        plain = measured("--plain", path)
        print(f"{Path(path).stem:<34} {ours}  {plain}")


def measured(how: str, path: str) -> str:
    """Measure in a process of its own, so that memory is that of one booklet."""
    done = subprocess.run(
        [sys.executable, __file__, how, path], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def ours(path: str) -> None:
    from afere.exams.booklet import read_booklet
    from afere.exams.profile import load_profile, profile_names

    profiles = [each for each in map(load_profile, profile_names()) if each.recognise]
    data = Path(path).read_bytes()
    begun = time.process_time()
    found = read_booklet(data, profiles)
    spent = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    counts = f"{found.pages:>5} {len(found.questions):>5} {found.mended:>6}"
    print(f"{counts} {spent:>6.2f} {peak:>5.0f}")


def plain(path: str) -> None:
    import pypdf

    begun = time.process_time()
    for page in pypdf.PdfReader(path).pages:
        page.extract_text()
    print(f"{time.process_time() - begun:.2f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--ours"]:
        ours(sys.argv[2])
    elif sys.argv[1:2] == ["--plain"]:
        plain(sys.argv[2])
    else:
        main()
