"""No congestion control: every flow sends at the rate of its port until PFC stops it.

What "DCQCN off" means in practice, and the line against which every other law is measured.
"""

PARAMS = {}
