"""Settings of the simulated fabric read units and refuse nonsense."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from metaroce.model.fabric_settings import EcnSettings, SimSettings


def test_text_with_units():
    settings = SimSettings.model_validate(
        {"ecn": {"kmin": "100KB", "kmax": "400KB", "pmax": "1 %"}, "pfc": {"headroom": "auto", "delay": "600ns"},
         "cnp": {"interval": "50us"}, "law": {"name": "none", "min_rate": "1G"}, "until": "3ms"}
    )  # fmt: skip
    assert (settings.ecn.kmin, settings.ecn.pmax, settings.pfc.delay) == (100_000, 0.01, 600_000)
    assert (settings.cnp.interval, settings.law.min_rate, settings.until) == (50_000_000, 10**9, 3 * 10**9)


def test_thresholds_in_order():
    with pytest.raises(ValidationError, match="kmin"):
        EcnSettings(kmin="2MB", kmax="1MB")


@pytest.mark.parametrize("bad", [{"mtu": 0}, {"lossless": [8]}, {"clock": "us"}, {"timeout": 5}, {"mtuu": 1}])
def test_refused(bad):
    with pytest.raises(ValidationError):
        SimSettings.model_validate(bad)


def test_every_setting_is_described():
    def missing(schema):
        return [name for name, field in schema["properties"].items() if not field.get("description")]

    schema = SimSettings.model_json_schema()
    assert not missing(schema)
    for part in schema["$defs"].values():
        if "properties" in part:
            assert not missing(part)
