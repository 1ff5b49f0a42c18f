"""From a photo to what lies on the board."""
