"""Bytes that serving sends, against the figures of DeepSeek and Mooncake, and times against measured tables."""

from __future__ import annotations

import polars as pl
import pytest

from metaroce.catalog.read import read_catalog
from metaroce.model.accelerators import Gpu, Llm
from metaroce.model.service import Service
from metaroce.serving.checks import collectives
from metaroce.serving.comm import (
    all_reduce_message_bytes,
    all_reduce_ns,
    all_reduce_wire_bytes,
    combine_bytes,
    combine_row_bytes,
    dispatch_bytes,
    dispatch_row_bytes,
    kv_transfer_bytes,
    kv_transfer_ns,
)
from metaroce.serving.hardware import find_hardware


def _llm(name: str) -> Llm:
    return read_catalog(Llm, "llms")[name]


def test_bytes_of_the_three_patterns():
    assert all_reduce_message_bytes(_llm("llama-3.1-70b"), 64) == 2**20
    assert all_reduce_wire_bytes(2**20, 8) == 1.75 * 2**20
    deepseek = _llm("deepseek-v3")
    assert (dispatch_bytes(deepseek, 1), combine_bytes(deepseek, 1)) == (59_136, 114_688)
    assert (dispatch_row_bytes(deepseek), combine_row_bytes(deepseek)) == (7392, 14_336)
    assert kv_transfer_bytes(_llm("llama-3.1-8b"), 4096) == 512 * 2**20
    assert kv_transfer_bytes(_llm("llama-3.1-70b"), 4096) == 1280 * 2**20
    assert kv_transfer_bytes(_llm("llama-3.1-8b"), 4096, "fp8") == 256 * 2**20


def test_one_gpu_reduces_nothing():
    assert all_reduce_ns(2**20, 1, read_catalog(Gpu, "gpus")["h100-sxm"]) == 0


def test_a_prompt_over_one_port_takes_what_the_wire_needs():
    """512 MiB at 400G are 10.7 ms; with 86 % of the port 12.5."""
    hardware = find_hardware(Service())
    assert kv_transfer_ns(4096, hardware) / 1e6 == pytest.approx(10.74 / 0.86, rel=0.01)


def test_formulas_are_near_measured_collectives(shared):
    table, problems = collectives(shared / "data" / "traces" / "collectives")
    assert not problems
    experts = table.filter(pl.col("operation").str.starts_with("expert") & (pl.col("size") >= 16))
    assert experts["difference"].abs().max() < 0.2 and experts["difference"].abs().median() < 0.08
    nvlink = table.filter((pl.col("operation") == "all-reduce") & (pl.col("gpu") != "l40s"))
    assert nvlink["difference"].abs().median() < 0.2 and nvlink["difference"].abs().max() < 0.6
    across = table.filter(pl.col("operation") == "all-reduce, 2 servers").row(0, named=True)
    assert across["measured_us"] > 15 * across["ours_us"]


def test_missing_tables_are_problems_not_exceptions(tmp_path):
    (tmp_path / "collectives_measured.csv.gz").write_bytes(b"not gzip, not csv")
    table, problems = collectives(tmp_path)
    assert table.height == 0 and len(problems) == 3
