"""What the catalog holds: devices, models, prices, each with its source."""

from __future__ import annotations

from typing import Any

from _markdown import table, title

from metaroce.catalog.read import read_catalog
from metaroce.model.accelerators import Gpu, Llm, Server
from metaroce.model.base import Noun
from metaroce.model.bill import FailureRate, RackKind
from metaroce.model.devices import Cable, Nic, Switch
from metaroce.model.money import Price

ABOUT = """\
Names on this page are what a scenario may write. A device that is missing can be written out in the scenario where its
field allows it (`service.llm`, `service.gpu`). Values marked * are our assumption, not published: check them against
your device. All prices are assumptions with a date and a range; `money.prices` puts your own in their place.
"""
#: title, file, noun, fields shown
SHEETS: tuple[tuple[str, str, type[Noun], tuple[str, ...]], ...] = (
    ("GPUs", "gpus", Gpu, ("product", "bf16_tflops", "fp8_tflops", "memory", "memory_bandwidth", "link", "gemm_share",
                           "attention_share", "memory_share", "power_w")),
    ("LLMs", "llms", Llm, ("product", "parameters", "active_parameters", "layers", "hidden", "heads", "kv_heads",
                           "experts", "experts_per_token", "native")),
    ("Servers", "servers", Server, ("product", "gpu", "gpus", "nics", "nic_rate", "power_w", "rack_units")),
    ("Switches", "switches", Switch, ("product", "chip", "ports", "port_rate", "max_ports", "buffer", "shared_pool",
                                      "slices", "cell", "alpha", "latency", "power_w")),
    ("NICs", "nics", Nic, ("product", "rate", "ports", "host_rate", "latency", "power_w")),
    ("Cables", "cables", Cable, ("kind", "rate", "reach_m", "power_w")),
    ("Racks", "racks", RackKind, ("kw", "units")),
    ("Failure rates", "failure_rates", FailureRate, ("per", "mtbf_h", "low_h", "high_h")),
    ("Prices", "prices", Price, ("value", "low", "high", "unit", "date")),
)  # fmt: skip


def page() -> str:
    """The page."""
    return title("Catalog", ABOUT) + "".join(_section(*sheet) for sheet in SHEETS)


def _section(name: str, file: str, noun: type[Noun], fields: tuple[str, ...]) -> str:
    rows = []
    for key, entry in read_catalog(noun, file).items():
        values, assumed = entry.model_dump(mode="json"), getattr(entry, "assumed", ())
        shown = (f"{_text(values[field])}{' *' if field in assumed else ''}" for field in fields)
        rows.append((f"`{key}`", *shown, values["source"]))
    return f"\n## {name}\n\n" + table(["name", *fields, "source"], rows)


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() else f"{value:,.6g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
