"""Our network formulas against measured collectives: all-reduce inside a server, expert dispatch and combine.

Reads tables of measured times (the columns of AIConfigurator's and Vidur's profiles) and says claimed | ours | why.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from metaroce.catalog.read import read_catalog
from metaroce.kit.errors import Problem
from metaroce.model.accelerators import Gpu
from metaroce.model.service import Service
from metaroce.serving.comm import all_reduce_ns, all_to_all_ns, combine_row_bytes, dispatch_row_bytes
from metaroce.serving.hardware import find_hardware
from metaroce.serving.published import published_points

__all__ = ["collectives", "published_points"]

_SYSTEMS = {
    "a100_sxm": "a100-80g", "h100_sxm": "h100-sxm", "h200_sxm": "h200", "b200_sxm": "b200", "l40s": "l40s",
}  # fmt: skip
_SCHEMA = ["operation", "gpu", "gpus", "size", "measured_us", "ours_us", "difference", "source", "why"]
_LINE = "one line for all sizes: protocols change between 256 KiB and 8 MiB, where measured bandwidth dips"


def collectives(folder: Path) -> tuple[pl.DataFrame, list[Problem]]:
    """Measured | ours of every table found in `folder`, and what is missing or unreadable there.

    Columns: operation, gpu, gpus, size (bytes of the message, or tokens per GPU), measured_us, ours_us, difference
    (ours/measured - 1), source, why. Measured = the quickest library at that size, as a serving engine would choose,
    median over its versions. Never raises for content.
    """
    parts: list[pl.DataFrame] = []
    problems: list[Problem] = []
    readers = {
        "collectives_measured.csv.gz": _all_reduces,
        "deepep_low_latency_measured.csv.gz": _experts,
        "vidur_network/a100_dgx/all_reduce.csv.gz": _two_servers,
    }
    for name, read in readers.items():
        try:
            parts.append(read(pl.read_csv(folder / name, infer_schema_length=None)))
        except (OSError, pl.exceptions.PolarsError) as fault:
            problems.append(Problem(f"no measured collectives: {type(fault).__name__}", str(folder / name)))
    empty = pl.DataFrame(schema=dict.fromkeys(_SCHEMA, pl.String))
    return (pl.concat(parts) if parts else empty), problems


def _all_reduces(table: pl.DataFrame) -> pl.DataFrame:
    """BF16/FP16 all-reduce of 8 KiB to 256 MiB among 2 to 8 GPUs of a server."""
    gpus = read_catalog(Gpu, "gpus")
    measured = (
        table.filter(
            (pl.col("op_name") == "all_reduce") & pl.col("dtype").is_in(["half", "bfloat16", "float16"])
            & pl.col("system").is_in(list(_SYSTEMS)) & (pl.col("num_gpus") <= 8)
            & pl.col("bytes_or_elems").is_in([2**13, 2**16, 2**18, 2**20, 2**23, 2**26])
            & ~pl.col("kernel_source").str.contains("eager")
        )
        .group_by("system", "num_gpus", "bytes_or_elems", "lib").agg(pl.col("latency_ms").median())
        .sort("latency_ms").group_by("system", "num_gpus", "bytes_or_elems").first()
        .sort("system", "num_gpus", "bytes_or_elems")
    )  # fmt: skip
    rows = []
    for system, ranks, size, lib, ms in measured.iter_rows():
        name = _SYSTEMS[system]
        ours = float(all_reduce_ns(size, ranks, gpus[name])) / 1000
        rows.append(("all-reduce", name, ranks, size, ms * 1000, ours, f"{lib}, AIConfigurator 0.12 tables", _LINE))
    return _compared(rows)


def _experts(table: pl.DataFrame) -> pl.DataFrame:
    """DeepEP low-latency dispatch and combine, DeepSeek-V3 shape, on 1 to 8 servers of 8 H100."""
    wanted = table.filter(
        (pl.col("hidden_size") == 7168) & (pl.col("num_topk") == 8) & (pl.col("num_experts") == 256)
        & (pl.col("system") == "h100_sxm") & pl.col("num_token").is_in([1, 16, 64, 128])
    )  # fmt: skip
    medians = (
        wanted.group_by("node_num", "num_token")
        .agg(pl.col("dispatch_avg_t_us").median(), pl.col("combine_avg_t_us").median())
        .sort("node_num", "num_token")
    )
    rows = []
    for nodes, tokens, there, back in medians.iter_rows():
        service = Service(llm="deepseek-v3", expert_parallel=8 * nodes, max_batch=8 * nodes * 256, chunk_tokens=65_536)
        hardware = find_hardware(service)
        for name, row_bytes, took in (("dispatch", dispatch_row_bytes, there), ("combine", combine_row_bytes, back)):
            ours = float(all_to_all_ns(np.float64(tokens), row_bytes(hardware.llm), hardware)) / 1000
            why = "fixed time fitted to DeepEP's own H800 table at 128 tokens; small batches pay less of it"
            rows.append(
                (f"expert {name}", "h100-sxm", 8 * nodes, tokens, took, ours, "DeepEP low latency, same tables", why)
            )
    return _compared(rows)


def _two_servers(table: pl.DataFrame) -> pl.DataFrame:
    """All-reduce across two servers: what we refuse to model as tensor parallelism, as a reminder why."""
    wide = table.filter((pl.col("num_workers") == 16) & (pl.col("size") == 2**20))
    if not wide.height:
        return _compared([])
    median = float(wide["time_stats.all_reduce.median"].median()) * 1000  # pyright: ignore[reportArgumentType]
    inside = float(all_reduce_ns(2**20, 8, read_catalog(Gpu, "gpus")["a100-80g"])) / 1000
    why = "ours is one server: tensor parallelism across servers is refused, this is the price"
    return _compared([("all-reduce, 2 servers", "a100-80g", 16, 2**20, median, inside, "Vidur profiles", why)])


def _compared(rows: list[tuple[str, str, int, int, float, float, str, str]]) -> pl.DataFrame:
    table = pl.DataFrame(rows, schema=[name for name in _SCHEMA if name != "difference"], orient="row")
    return table.with_columns((pl.col("ours_us") / pl.col("measured_us") - 1).alias("difference")).select(_SCHEMA)
