"""Who gets what in a shortage: plain functions over the claims of one week.

Source: Cachon and Lariviere, Management Science 45(8), 1999. Proportional shares reward large orders, so buyers
inflate them; uniform shares cannot be manipulated.
"""


def proportional(claims, available, shares):
    """Fill `shares` (float64[m]) in proportion to `claims` (float64[m]); the claims exceed `available`."""
    total = claims.sum()
    for i in range(claims.size):
        shares[i] = available * claims[i] / total


def linear(claims, available, shares):
    """Everyone is cut by the same number of units; who would fall below zero gets nothing."""
    shares[:] = claims
    left = claims.size
    cut = 0.0
    while True:
        kept = 0.0
        count = 0
        for i in range(claims.size):
            if claims[i] > cut:
                kept += claims[i]
                count += 1
        if count == left and cut > 0.0:
            break
        left = count
        cut = max(0.0, (kept - available) / count)
        if cut == 0.0:
            break
    for i in range(claims.size):
        shares[i] = max(0.0, claims[i] - cut)


def uniform(claims, available, shares):
    """Everyone gets the same, or all it asked for if that is less (water filling)."""
    shares[:] = 0.0
    open_claims = claims.size
    rest = available
    level = 0.0
    while open_claims > 0 and rest > 0.0:
        step = rest / open_claims
        for i in range(claims.size):
            if claims[i] > level:
                step = min(step, claims[i] - level)
        rest -= step * open_claims
        level += step
        open_claims = 0
        for i in range(claims.size):
            shares[i] = min(claims[i], level)
            if claims[i] > level:
                open_claims += 1
        if step == 0.0:
            break


def in_order(claims, available, shares):
    """The first claim is served in full, then the second, and so on."""
    rest = available
    for i in range(claims.size):
        shares[i] = min(claims[i], rest)
        rest -= shares[i]
