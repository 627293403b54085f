"""Kernel that reads the common spelling of csv lines: whole or decimal numbers, and dates like 2023-11-16 18:15:46.68.

Strategy: bytes in, integers out, no text objects. A line it does not understand (quotes, exponents, other offsets
than +00:00, faults) is left to `line_row`, which either reads it or names its fault. So one kernel stays simple, and
ten million lines take seconds.
"""

from __future__ import annotations

import numpy as np

from metaroce.kit.jit import kernel
from metaroce.kit.units import NS_PER_S
from metaroce.loads.requests import MAX_TOKENS

GOOD, ODD, BLANK = 0, 1, 2
NUMBER, DATE = 0, 1

_TAB, _NEWLINE, _RETURN, _SPACE, _QUOTE, _DOT, _DASH, _COLON, _ZERO = 9, 10, 13, 32, 34, 46, 45, 58, 48
_PLUS, _BIG_T, _BIG_Z = 43, 84, 90
_ROOM = 900_000_000_000_000_000  # one more digit still fits int64


@kernel
def scan_lines(text, delimiter, columns, clock, digits, arrival, inputs, outputs, status, begins):
    """Read every line of `text`.

    text       uint8[b]   whole lines
    delimiter  byte between fields
    columns    int64[4]   positions of time, inputs, outputs; number of fields that a line must have
    clock      NUMBER or DATE
    digits     decimal digits from the time's unit down to ns
    arrival    int64[k]   out: ns (of the epoch for dates); k >= number of lines
    inputs, outputs  int32[k]  out
    status     uint8[k]   out: GOOD, ODD, BLANK
    begins     int64[k+1] out: where each line starts in `text`
    returns the number of lines
    """
    size = len(text)
    line = 0
    at = 0
    spans = np.zeros((3, 2), np.int64)
    while at < size:
        begins[line] = at
        start = at
        field = 0
        odd = False
        blank = True
        while True:
            if at == size or text[at] == _NEWLINE or text[at] == delimiter:
                for which in range(3):
                    if columns[which] == field:
                        spans[which, 0] = start
                        spans[which, 1] = at
                field += 1
                start = at + 1
                if at == size or text[at] == _NEWLINE:
                    break
                blank = False
            elif text[at] == _QUOTE:
                odd = True
                blank = False
            elif text[at] != _SPACE and text[at] != _TAB and text[at] != _RETURN:
                blank = False
            at += 1
        at += 1
        status[line] = ODD
        if blank:
            status[line] = BLANK
        elif not odd and field == columns[3]:
            if clock == DATE:
                when = read_date(text, spans[0, 0], spans[0, 1])
            else:
                when = read_number(text, spans[0, 0], spans[0, 1], digits)
            asked = read_whole(text, spans[1, 0], spans[1, 1])
            given = read_whole(text, spans[2, 0], spans[2, 1])
            if when >= 0 and 1 <= asked <= MAX_TOKENS and 1 <= given <= MAX_TOKENS:
                arrival[line] = when
                inputs[line] = asked
                outputs[line] = given
                status[line] = GOOD
        line += 1
    begins[line] = size
    return line


@kernel
def read_number(text, start, stop, digits):
    """text[start:stop] x 10^digits, rounded half up at the last digit; -1 when it is not plain decimal or too large."""
    while start < stop and _is_blank(text[start]):
        start += 1
    while stop > start and _is_blank(text[stop - 1]):
        stop -= 1
    value = 0
    seen = False
    after = -1  # digits behind the point so far; -1 before the point
    for at in range(start, stop):
        digit = int(text[at]) - _ZERO
        if 0 <= digit <= 9:
            seen = True
            if after < 0 or after < digits:
                if value > _ROOM:
                    return -1
                value = value * 10 + digit
            elif after == digits and digit >= 5:
                value += 1
            if after >= 0:
                after += 1
        elif text[at] == _DOT and after < 0:
            after = 0
        else:
            return -1
    if not seen:
        return -1
    for _ in range(max(after, 0), digits):
        if value > _ROOM:
            return -1
        value *= 10
    return value


@kernel
def read_whole(text, start, stop):
    """The whole number text[start:stop]; `374.0`, as pandas writes it, counts; -1 when it is anything else."""
    while start < stop and _is_blank(text[start]):
        start += 1
    while stop > start and _is_blank(text[stop - 1]):
        stop -= 1
    while stop > start + 1 and text[stop - 1] == _ZERO:
        point = stop - 1
        while point > start and text[point] == _ZERO:
            point -= 1
        if text[point] != _DOT or point == start:
            break
        stop = point
    if stop == start:
        return -1
    value = 0
    for at in range(start, stop):
        digit = int(text[at]) - _ZERO
        if digit < 0 or digit > 9 or value > _ROOM:
            return -1
        value = value * 10 + digit
    return value


@kernel
def read_date(text, start, stop):
    """ns since 1970 of `YYYY-MM-DD HH:MM:SS[.f][Z|+00:00]` (or with T); -1 when it is anything else."""
    while start < stop and _is_blank(text[start]):
        start += 1
    while stop > start and _is_blank(text[stop - 1]):
        stop -= 1
    if stop > start and text[stop - 1] == _BIG_Z:
        stop -= 1
    elif stop - start > 6 and text[stop - 6] == _PLUS:
        if text[stop - 3] != _COLON or _two(text, stop - 5) != 0 or _two(text, stop - 2) != 0:
            return -1
        stop -= 6
    if stop - start < 19 or text[start + 4] != _DASH or text[start + 7] != _DASH:
        return -1
    if text[start + 13] != _COLON or text[start + 16] != _COLON:
        return -1
    if text[start + 10] != _SPACE and text[start + 10] != _BIG_T:
        return -1
    year = _two(text, start) * 100 + _two(text, start + 2)
    if _two(text, start) < 0 or _two(text, start + 2) < 0:
        return -1
    month, day = _two(text, start + 5), _two(text, start + 8)
    hour, minute, second = _two(text, start + 11), _two(text, start + 14), _two(text, start + 17)
    if not (1970 <= year <= 2261 and 1 <= month <= 12 and 1 <= day <= _month_days(year, month)):
        return -1
    if not (0 <= hour <= 23 and 0 <= minute <= 59 and 0 <= second <= 59):
        return -1
    fraction = 0
    if stop - start > 19:
        if text[start + 19] != _DOT or stop - start == 20:
            return -1
        fraction = read_number(text, start + 19, stop, 9)
        if fraction < 0:
            return -1
    days = _days_since_1970(year, month, day)
    return ((days * 24 + hour) * 3600 + minute * 60 + second) * NS_PER_S + fraction


@kernel
def _is_blank(byte):
    return byte in (_SPACE, _TAB, _RETURN)


@kernel
def _two(text, at):
    high, low = int(text[at]) - _ZERO, int(text[at + 1]) - _ZERO
    return high * 10 + low if 0 <= high <= 9 and 0 <= low <= 9 else -1


@kernel
def _month_days(year, month):
    if month == 2:
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        return 29 if leap else 28
    return 30 if month == 4 or month == 6 or month == 9 or month == 11 else 31


@kernel
def _days_since_1970(year, month, day):
    """Days of the proleptic Gregorian calendar (H. Hinnant, days_from_civil)."""
    year -= month <= 2
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468
