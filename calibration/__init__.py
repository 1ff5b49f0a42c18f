"""From the photo of an empty board to a map folder that the reader can use."""
