"""How the reading networks are trained. Nothing here is needed to read a photo."""
