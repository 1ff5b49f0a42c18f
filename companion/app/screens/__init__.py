"""One file a screen, with its kv file beside it. Each names its class `Screen` at the end, so that it is found by name."""
