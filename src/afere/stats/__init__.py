"""Statistics of numbers: intervals, paired tests, noise; the generator is passed in."""

__all__: list[str] = []
