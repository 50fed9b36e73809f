"""Importing the room is cheap: SQLAlchemy comes in when a store is opened."""

import subprocess
import sys


def test_importing_the_store_imports_no_sqlalchemy() -> None:
    program = "import sys, afere.store; sys.exit('sqlalchemy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
