"""Signs of our own that stand in a seen-through text for what was a mark in the written one.

They are private characters; those that a reply brings along are taken off first.
"""

__all__ = ["BOX_CLOSES", "BOX_OPENS", "BULLET", "HASHES", "OURS"]

BOX_OPENS = "\ue000"
BOX_CLOSES = "\ue001"
HASHES = "\ue002"
BULLET = "\ue003"
OURS = BOX_OPENS + BOX_CLOSES + HASHES + BULLET
