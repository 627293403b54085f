"""Text <-> integers: sizes in bytes, rates in bit/s, times in ps or ns, shares in 0..1.

Inside the program a quantity is an integer in one unit per domain (network: picoseconds, serving: nanoseconds,
sizes: bytes, rates: bit/s). Text with units exists only at the edge, and passes through here.
"""

from __future__ import annotations

import math
import re

from metaroce.kit.errors import QuantityError

INT64_MAX = 2**63 - 1
_LONG_FIRST = ("d", "h", "min", "s", "ms", "us", "ns")

PS_PER_NS = 1_000
PS_PER_US = 1_000_000
PS_PER_MS = 1_000_000_000
PS_PER_S = 1_000_000_000_000
NS_PER_S = 1_000_000_000
HOURS_PER_WEEK = 168
HOURS_PER_YEAR = 8760

_NUMBER = re.compile(r"^\s*([+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([^\d\s].*)?\s*$")

# Decimal prefixes are 1000, binary ones 1024, as the field writes buffers (KiB) and rates (400G).
_SIZE = {
    "": 1, "b": 1, "byte": 1, "bytes": 1,
    "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40,
}  # fmt: skip
_RATE = {
    "": 1, "bps": 1, "bit/s": 1,
    "k": 10**3, "kbps": 10**3, "kbit/s": 10**3, "kb/s": 10**3,
    "m": 10**6, "mbps": 10**6, "mbit/s": 10**6, "mb/s": 10**6,
    "g": 10**9, "gbps": 10**9, "gbit/s": 10**9, "gb/s": 10**9,
    "t": 10**12, "tbps": 10**12, "tbit/s": 10**12, "tb/s": 10**12,
}  # fmt: skip
_TIME_PS = {
    "ps": 1, "ns": PS_PER_NS, "us": PS_PER_US, "µs": PS_PER_US, "μs": PS_PER_US, "ms": PS_PER_MS, "s": PS_PER_S,
    "sec": PS_PER_S, "min": 60 * PS_PER_S, "h": 3600 * PS_PER_S, "d": 86_400 * PS_PER_S, "day": 86_400 * PS_PER_S,
    "days": 86_400 * PS_PER_S,
}  # fmt: skip


def _split(text: str, kind: str, example: str) -> tuple[int | float, str]:
    match = _NUMBER.match(text)
    if match is None:
        raise QuantityError(f"{text!r} is not a {kind}", hint=f"write it like {example}")
    digits = match.group(1).replace("_", "")
    value = int(digits) if digits.lstrip("+-").isdecimal() else float(digits)  # whole numbers stay exact
    if not math.isfinite(value):
        raise QuantityError(f"{text!r} is not a finite {kind}", hint=f"write it like {example}")
    return value, (match.group(2) or "").strip()


def _scale(text: str, kind: str, example: str, factors: dict[str, int]) -> int:
    value, unit = _split(text, kind, example)
    factor = factors.get(unit.lower())
    if factor is None:
        known = ", ".join(sorted((u for u in factors if u), key=lambda u: (factors[u], u)))
        raise QuantityError(f"{text!r}: {unit!r} is no unit of {kind}", hint=f"use one of {known}; e.g. {example}")
    return to_int64(value * factor, kind, text)


def to_int64(value: float, kind: str, text: str | None = None) -> int:
    """Round to an integer that fits int64; raise QuantityError (with a hint) when it cannot."""
    shown = repr(value) if text is None else repr(text)
    if isinstance(value, float) and not math.isfinite(value):
        raise QuantityError(f"{shown} is not a finite {kind}", hint="give a finite number")
    if abs(value) > INT64_MAX:
        raise QuantityError(f"{shown} is too large for a {kind}", hint="times in the fabric end at 106 days")
    return round(value)


def size(text: str) -> int:
    """Bytes. `size("400KB")` is 400000, `size("4KiB")` is 4096. Raises QuantityError."""
    return _scale(text, "size", '"400KB" or "4KiB"', _SIZE)


def rate(text: str) -> int:
    """Bit/s. `rate("400G")` is 400000000000; the b of `Gb/s` is always a bit. Raises QuantityError."""
    return _scale(text, "rate", '"400G" or "25Gbit/s"', _RATE)


def time_ps(text: str) -> int:
    """Picoseconds, for the fabric. `time_ps("1.5us")` is 1500000. A bare number has no unit and is refused."""
    return _scale(text, "time", '"1.5us" or "300ms"', _TIME_PS)


def time_ns(text: str) -> int:
    """Nanoseconds, for serving and cluster. `time_ns("1 h")` is 3600000000000. Raises QuantityError."""
    value, unit = _split(text, "time", '"300ms" or "10min"')
    factor = _TIME_PS.get(unit.lower())
    if factor is None:
        raise QuantityError(
            f"{text!r}: {unit!r} is no unit of time", hint='use ns, us, ms, s, min, h or d; e.g. "300ms"'
        )
    exact = value * factor // PS_PER_NS if isinstance(value, int) else value * factor / PS_PER_NS
    return to_int64(exact, "time", text)


def share(text: str) -> float:
    """A share in 0..1 from `83 %`, `83%` or `0.83`. Raises QuantityError outside 0..1."""
    value, unit = _split(text, "share", '"83 %" or 0.83')
    if unit not in ("", "%"):
        raise QuantityError(f"{text!r}: {unit!r} is no unit of a share", hint='write "83 %" or 0.83')
    value = value / 100 if unit else value
    if not 0 <= value <= 1:
        raise QuantityError(f"{text!r} is not between 0 and 1", hint='write "83 %" or 0.83')
    return value


def per_second(text: str) -> float:
    """Events per second from `12/s`, `720/min`, `43200/h`, `1000000/d` or a bare number. Raises QuantityError."""
    value, unit = _split(text, "rate of events", '"12/s" or "1000000/d"')
    factors = {"": 1.0, "/s": 1.0, "rps": 1.0, "qps": 1.0, "/min": 1 / 60, "/h": 1 / 3600, "/d": 1 / 86_400}
    if unit.lower() not in factors:
        raise QuantityError(f"{text!r}: {unit!r} is no rate of events", hint="use /s, /min, /h or /d")
    return value * factors[unit.lower()]


def wire_time(size_bytes: int, rate_bps: int) -> int:
    """Picoseconds that `size_bytes` occupy a link of `rate_bps`, rounded down.

    >>> wire_time(4096, rate("400G"))
    81920
    """
    return size_bytes * 8 * PS_PER_S // rate_bps


def exact_size(size_bytes: int) -> str:
    """`400KB`, `4KiB`: text that `size` reads back to the same number."""
    return _exact(
        size_bytes, (("GB", 10**9), ("GiB", 2**30), ("MB", 10**6), ("MiB", 2**20), ("KB", 10**3), ("KiB", 2**10)), "B"
    )


def exact_rate(bits_per_second: int) -> str:
    """`400G`: text that `rate` reads back to the same number."""
    return _exact(bits_per_second, (("T", 10**12), ("G", 10**9), ("M", 10**6), ("k", 10**3)), "bps")


def exact_ps(picoseconds: int) -> str:
    """`15us`: text that `time_ps` reads back to the same number."""
    if picoseconds == 0:
        return "0s"
    return _exact(picoseconds, tuple((unit, _TIME_PS[unit]) for unit in _LONG_FIRST), "ps")


def exact_ns(nanoseconds: int) -> str:
    """`10min`: text that `time_ns` reads back to the same number."""
    return exact_ps(nanoseconds * PS_PER_NS)


def _exact(value: int, steps: tuple[tuple[str, int], ...], smallest: str) -> str:
    """The unit that leaves the shortest whole number; zero has the smallest unit."""
    fitting = [(value // factor, unit) for unit, factor in steps if value and value % factor == 0]
    number, unit = min([*fitting, (value, smallest)], key=lambda pair: len(str(pair[0])))
    return f"{number}{unit}"


def _format(value: float, steps: tuple[tuple[float, str], ...]) -> str:
    for factor, unit in steps:
        if abs(value) >= factor:
            return f"{value / factor:.4g} {unit}"
    factor, unit = steps[-1]
    return f"{value / factor:.4g} {unit}"


def format_size(size_bytes: float) -> str:
    """`400 KB`: decimal prefixes, four digits."""
    return _format(size_bytes, ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1.0, "B")))


def format_rate(bits_per_second: float) -> str:
    """`400 Gbit/s`."""
    steps = ((1e12, "Tbit/s"), (1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s"))
    return _format(bits_per_second, steps)


def format_seconds(seconds: float) -> str:
    """`1.2 ms`, `3.1 s`, `2 h`: a duration for people, from seconds."""
    steps = (
        (86_400 * 2, "d"),
        (7200, "h"),
        (120, "min"),
        (1, "s"),
        (1e-3, "ms"),
        (1e-6, "us"),
        (1e-9, "ns"),
        (1e-12, "ps"),
    )
    scale = {"d": 86_400.0, "h": 3600.0, "min": 60.0}
    for floor, unit in steps:
        if abs(seconds) >= floor:
            return f"{seconds / scale.get(unit, floor):.4g} {unit}"
    return "0 s" if seconds == 0 else f"{seconds:.3g} s"


def format_ps(picoseconds: float) -> str:
    """A fabric time for people."""
    return format_seconds(picoseconds / PS_PER_S)


def format_ns(nanoseconds: float) -> str:
    """A serving time for people."""
    return format_seconds(nanoseconds / NS_PER_S)
