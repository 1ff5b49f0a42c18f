"""From a finished game to its score sheet. Pure: no files, no clock, no numpy, no Kivy."""

from companion.scoring.final import Loan, Result, Standing, TicketResult, score
from companion.scoring.longest import Walk, longest_walk
from companion.scoring.problems import Problem
from companion.scoring.tickets import missing_link, shortest_distance

__all__ = [
    "Loan",
    "Problem",
    "Result",
    "Standing",
    "TicketResult",
    "Walk",
    "longest_walk",
    "missing_link",
    "score",
    "shortest_distance",
]
