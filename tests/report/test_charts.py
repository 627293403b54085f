"""Charts say what the data say: checked on the compiled picture, not on golden files."""

from __future__ import annotations

import math
import re

import pytest
import vl_convert

from metaroce.report import charts, picture


def _values(spec, field):
    """All values of a field over the inlined data of a chart."""
    return [row[field] for rows in spec["datasets"].values() for row in rows if field in row]


def test_every_builder_compiles_without_a_complaint(specs, capfd):
    for name, spec in specs.items():
        assert vl_convert.vegalite_to_vega(picture.placed(spec, 700))["marks"], name
    assert "WARN" not in capfd.readouterr().err


def test_every_chart_has_tooltips_and_readable_titles(specs):
    for name, spec in specs.items():
        text = repr(spec)
        assert "'tooltip'" in text, name
        assert not re.search(r"'title': '\w+_\w+'", text), name


def test_distribution_is_the_share_at_or_below():
    spec = charts.latency_distribution({"a": [3, 1, 2, 4]})
    pairs = list(zip(_values(spec, "latency"), _values(spec, "share"), strict=True))
    assert pairs == [(0, 0), (1, 0.25), (2, 0.5), (3, 0.75), (4, 1.0)]


def test_distribution_of_many_keeps_the_tail_in_few_points():
    spec = charts.latency_distribution({"a": range(1, 100_001)})
    shares = _values(spec, "share")
    assert len(shares) < 400
    assert sum(share > 0.99 for share in shares) > 50
    for latency, share in zip(_values(spec, "latency"), shares, strict=True):
        assert share == pytest.approx(latency / 100_000, abs=1e-5)


def test_never_answered_is_slower_than_everything_shown():
    spec = charts.latency_distribution({"a": [1.0, 2.0, math.inf, math.nan]})
    assert max(_values(spec, "share")) == 0.5


def test_nothing_answered_is_said_so():
    for log in (False, True):
        spec = charts.latency_distribution({"RoCE": [math.inf]}, slo={"limit": 300, "quantile": 0.95}, log=log)
        assert spec["title"]["text"] == "Share of requests: none was answered"
        assert picture.svg(spec)


def test_ticks_of_a_logarithmic_axis_are_round():
    spec = charts.latency_distribution({"a": [30, 400, 12_000]}, log=True)
    assert spec["layer"][0]["encoding"]["x"]["axis"]["values"] == [
        *(50, 100, 200, 500, 1000, 2000, 5000, 10_000),
    ]


EMPTY = {
    "distribution": lambda: charts.latency_distribution({}),
    "capacity": lambda: charts.capacity_curve([], limit=300),
    "breakdown": lambda: charts.breakdown_bars({}, limit=300),
    "compare": lambda: charts.compare_bars([], unit="ms", what="P95"),
    "tornado": lambda: charts.tornado([], base=10, unit="", what="GPUs"),
    "nothing moves": lambda: charts.tornado(
        [{"name": "a", "at_low": 10, "at_high": 10}], base=10, unit="", what="GPUs"
    ),
    "account": lambda: charts.account_bars([], [], {"name": "net", "value": 0.0}),
    "series": lambda: charts.time_series({"a": {"x": [], "y": []}}, x_title="t", y_title="y", levels={"l": 1}),
    "no series": lambda: charts.time_series({}, x_title="t", y_title="y"),
    "orders": lambda: charts.orders_by_tier({}),
    "no weeks": lambda: charts.orders_by_tier({"chip": {"week": [], "p10": [], "p50": [], "p90": [], "ordinary": 1}}),
    "load": lambda: charts.load_curve([], own=0),
}


@pytest.mark.parametrize("name", EMPTY)
def test_nothing_to_draw_is_an_empty_chart(name):
    assert picture.svg(EMPTY[name]()).startswith("<svg")


def test_points_are_judged_by_the_promise_unless_told():
    spec = charts.capacity_curve(
        [{"gpus": 8, "value": 301}, {"gpus": 16, "value": 300}, {"gpus": 24, "value": 9, "meets": False}], limit=300
    )
    assert _values(spec, "meets") == [False, True, False]
    assert _values(spec, "low")[:1] == [301]


def test_a_breakdown_adds_up():
    spec = charts.breakdown_bars({"a": {"x": 1, "y": 2}, "b": {"y": 3}})
    assert set(_values(spec, "total")) == {3}
    assert len(_values(spec, "part")) == 3


def test_lines_need_equal_lengths():
    with pytest.raises(ValueError, match="u: x, y and band differ"):
        charts.time_series({"u": {"x": [1, 2], "y": [1]}}, x_title="t", y_title="u")


def test_gaps_in_a_line_are_gaps():
    spec = charts.time_series({"u": {"x": [1, 2], "y": [1.0, math.nan]}}, x_title="t", y_title="u")
    assert _values(spec, "y") == [1.0, None]
    assert picture.svg(spec)


def test_orders_are_multiples_of_the_ordinary_week():
    spec = charts.orders_by_tier({"chip": {"week": [0], "p10": [80], "p50": [160], "p90": [320], "ordinary": 160}})
    assert (_values(spec, "p10"), _values(spec, "p50"), _values(spec, "p90")) == ([0.5], [1.0], [2.0])
    with pytest.raises(ValueError, match="chip: an ordinary week"):
        charts.orders_by_tier({"chip": {"week": [0], "p10": [0], "p50": [0], "p90": [0], "ordinary": 0}})


def test_the_widest_swing_comes_first():
    rows = [{"name": "a", "at_low": 9, "at_high": 11}, {"name": "b", "at_low": 20, "at_high": 5}]
    spec = charts.tornado(rows, base=10, unit="", what="GPUs")
    assert list(dict.fromkeys(_values(spec, "name"))) == ["b", "a"]


def _told(at_low, at_high, **labels):
    row = {"name": "a", "at_low": at_low, "at_high": at_high, **labels}
    return [text for text in _values(charts.tornado([row], base=10, unit="", what="GPUs"), "text") if text]


def test_each_end_of_a_swing_is_told_once():
    steps = {"low_label": "-20%", "high_label": "+20%"}
    assert _told(8, 13, **steps) == ["+20% → 13", "-20% → 8"]
    assert _told(12, 12, **steps) == ["both → 12"]
    assert _told(12, 15, **steps) == ["+20% → 15"]
    assert _told(10, 15, **steps) == ["+20% → 15"]
    assert _told(10, 10, **steps) == ["no change"]
    assert _told(12, 12) == ["12"]


def test_a_load_is_parted_where_ownership_ends():
    spec = charts.load_curve([5, 12, 8], own=8)
    parts = dict.fromkeys(_values(spec, "part"))
    assert list(parts) == ["owned and used", "rented"]
    assert _values(spec, "gpus") == [5, 8, 4, 8]


def test_costs_point_to_the_left_and_intervals_turn_with_them():
    spec = charts.account_bars(
        [{"name": "g", "value": 2e6}],
        [{"name": "c", "value": 3e6, "low": 1e6, "high": 5e6}],
        {"name": "n", "value": -1e6},
    )
    assert _values(spec, "value") == [2e6, -3e6, -1e6]
    assert _values(spec, "low")[1] == -5e6 and _values(spec, "high")[1] == -1e6
    assert _values(spec, "text") == ["2M", "−3M", "−1M"]


def test_same_data_same_specification():
    rows = {"a": {"x": 1.0}}
    assert charts.breakdown_bars(rows) == charts.breakdown_bars(rows)


def test_layers_hold_their_data_once(specs):
    for name, spec in specs.items():
        assert "'values': [{" not in repr({key: part for key, part in spec.items() if key != "datasets"}), name


def test_charts_fit_a_telephone(specs):
    for name in ("tornado", "account"):
        drawn = picture.svg(specs[name], width=330)
        assert ("→" in drawn) is False, name
        assert float(re.search(r'<svg[^>]* width="([\d.]+)"', drawn)[1]) <= 330
    assert "→" in picture.svg(specs["tornado"], width=800)
