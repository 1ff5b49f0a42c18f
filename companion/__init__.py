"""Rail Companion: photograph a finished Ticket to Ride board and learn who won, and why."""

import os

__version__ = "0.1.0"

# OpenCV reads its limits once, while it loads: they must be there before anything of ours imports it.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", "120000000")
os.environ.setdefault("OPENCV_LOG_LEVEL", "ERROR")
