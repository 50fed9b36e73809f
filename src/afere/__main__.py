"""`python -m afere` is the command `afere`."""

__all__ = ["start"]


def start() -> None:
    """Run the command; Ctrl-C is heard before anything slow is imported."""
    from afere.app.leaving import heed_interrupts

    heed_interrupts()
    from afere.app.cli import main

    main()


if __name__ == "__main__":
    start()
