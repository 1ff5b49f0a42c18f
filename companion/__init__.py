"""Rail Companion: photograph a finished Ticket to Ride board and learn who won, and why."""

__version__ = "0.1.0"
