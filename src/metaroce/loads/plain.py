"""Our own format: csv or jsonl with a time, input tokens and output tokens under any of their usual names.

Times are seconds (or a date), unless the column says otherwise: `timestamp_ms`, `arrival_ns`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from metaroce.loads.layout import Kind, Layout, pick

COLUMNS = "csv or jsonl timestamp,input_tokens,output_tokens (timestamp_ms, _us, _ns for other units than s)"

_TIMES = (
    "timestamp",
    "arrival",
    "arrival_time",
    "arrived_at",
    "request_time",
    "start_time",
    "time",
    "datetime",
    "date",
    "ts",
    "t",
)
_INPUTS = (
    "input_tokens", "prompt_tokens", "context_tokens", "num_prefill_tokens", "request_tokens", "input_length",
    "prompt_length", "input_len", "prompt_len", "tokens_in", "input", "inputs", "prompt", "inputtokens",
)  # fmt: skip
_OUTPUTS = (
    "output_tokens", "completion_tokens", "generated_tokens", "num_decode_tokens", "response_tokens", "output_length",
    "completion_length", "output_len", "decode_len", "tokens_out", "output", "outputs", "completion",
    "outputtokens",
)  # fmt: skip
_UNITS: tuple[tuple[Literal["s", "ms", "us", "ns"], str], ...] = (
    ("s", ""),
    ("s", "_s"),
    ("ms", "_ms"),
    ("us", "_us"),
    ("ns", "_ns"),
)


def layout(columns: Sequence[str], kind: Kind) -> Layout | None:
    """Where the request stands, or None when a time, an input or an output column is missing."""
    inputs, outputs = pick(columns, *_INPUTS), pick(columns, *_OUTPUTS)
    for unit, ending in _UNITS:
        time = pick(columns, *(name + ending for name in _TIMES))
        if time and inputs and outputs:
            return Layout(time, inputs, outputs, unit=unit)
    return None
