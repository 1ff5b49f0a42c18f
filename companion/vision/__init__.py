"""From a photo to what lies on the board."""

from companion.vision.memory import share_one_pool

share_one_pool()  # before numpy and OpenCV start their threads
