"""Reading: what stands in a reply as its answer, apart from whether it is right."""

__all__: list[str] = []
