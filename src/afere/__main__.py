"""`python -m afere` is the command `afere`."""

from afere.app.cli import main

if __name__ == "__main__":
    main()
