"""Properties look at the same examples every time; AFERE_EXPLORE=1 looks at new ones."""

import os

from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None)  # a busy machine is no fault
if os.environ.get("AFERE_EXPLORE") != "1":
    settings.load_profile("steady")
