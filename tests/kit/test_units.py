"""Quantities survive the border: text in, integer inside, and no silent overflow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.kit import units
from metaroce.kit.errors import QuantityError


@pytest.mark.parametrize(
    ("text", "expected"),
    [("400KB", 400_000), ("4KiB", 4096), ("0", 0), ("1.5 MB", 1_500_000), ("64 kib", 65_536), ("12_000", 12_000)],
)
def test_sizes(text: str, expected: int) -> None:
    assert units.size(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("400G", 400_000_000_000), ("25Gb/s", 25_000_000_000), ("1 Tbit/s", 10**12), ("50Mbps", 5 * 10**7)],
)
def test_rates(text: str, expected: int) -> None:
    assert units.rate(text) == expected


def test_one_byte_at_400g_is_exactly_20_ps() -> None:
    assert units.wire_time(1, units.rate("400G")) == 20
    assert units.wire_time(4096, units.rate("400G")) == 81_920


def test_times() -> None:
    assert units.time_ps("1.5us") == 1_500_000
    assert units.time_ns("1 h") == 3_600_000_000_000
    assert units.time_ns("300ms") == 300_000_000
    assert units.share("83 %") == pytest.approx(0.83)
    assert units.per_second("1000000/d") == pytest.approx(11.574074)


@pytest.mark.parametrize("text", ["", "fast", "4 parsecs", "1e400s", "12", "nan s", "-"])
def test_what_is_no_time_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(QuantityError) as caught:
        units.time_ps(text)
    assert caught.value.hint
    assert caught.value.exit_status == 2


def test_overflow_is_refused() -> None:
    assert units.time_ps("106d") > 0
    with pytest.raises(QuantityError, match="too large"):
        units.time_ps("107d")


@pytest.mark.parametrize("text", ["101 %", "-0.1", "1.01", "5 apples"])
def test_shares_stay_in_range(text: str) -> None:
    with pytest.raises(QuantityError):
        units.share(text)


@given(st.integers(0, 10**15))
def test_bytes_round_trip(value: int) -> None:
    assert units.size(f"{value}B") == value


@given(st.text(max_size=12))
def test_garbage_gives_only_our_own_error(text: str) -> None:
    for read in (units.size, units.rate, units.time_ps, units.time_ns, units.share, units.per_second):
        try:
            read(text)
        except QuantityError as error:
            assert error.what


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1.2e-3, "1.2 ms"), (90_000, "25 h"), (0, "0 s"), (3.5e-6, "3.5 us"), (59.0, "59 s"), (600, "10 min")],
)
def test_durations_for_people(seconds: float, text: str) -> None:
    assert units.format_seconds(seconds) == text


@given(st.integers(0, 2**60))
def test_exact_texts_read_back_to_the_same_number(value: int) -> None:
    assert units.size(units.exact_size(value)) == value
    assert units.rate(units.exact_rate(value)) == value
    assert units.time_ps(units.exact_ps(value)) == value
    assert units.time_ns(units.exact_ns(value % 2**50)) == value % 2**50


def test_exact_texts_are_short() -> None:
    assert units.exact_size(400_000) == "400KB"
    assert units.exact_size(65_536) == "64KiB"
    assert units.exact_rate(400_000_000_000) == "400G"
    assert units.exact_ps(15_000_000) == "15us"
    assert units.exact_ns(600_000_000_000) == "10min"
    assert units.exact_ps(0) == "0s"
