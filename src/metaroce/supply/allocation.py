"""Who gets what in a shortage: plain functions over the claims of one week.

Source: Cachon and Lariviere, Management Science 45(8), 1999. Proportional shares reward large orders, so buyers
inflate them; uniform shares cannot be manipulated.
"""

import numpy as np


def proportional(claims, available, shares):
    """Fill `shares` (float64[m]) in proportion to `claims` (float64[m]); the claims exceed `available`."""
    total = claims.sum()
    for i in range(claims.size):
        shares[i] = available * claims[i] / total


def linear(claims, available, shares):
    """Everyone is cut by the same number of units; who would fall below zero gets nothing."""
    smallest_first = np.argsort(claims)
    cut = claims.sum() - available
    for place in range(claims.size):
        i = smallest_first[place]
        mine = min(claims[i], cut / (claims.size - place))
        shares[i] = claims[i] - mine
        cut -= mine


def uniform(claims, available, shares):
    """Everyone gets the same, or all it asked for if that is less."""
    smallest_first = np.argsort(claims)
    rest = available
    for place in range(claims.size):
        i = smallest_first[place]
        shares[i] = min(claims[i], rest / (claims.size - place))
        rest -= shares[i]


def in_order(claims, available, shares):
    """The first claim is served in full, then the second, and so on."""
    rest = available
    for i in range(claims.size):
        shares[i] = min(claims[i], rest)
        rest -= shares[i]
