"""Qwen on Bailian (Alibaba): one JSON object a line with chat_id, timestamp (s), input_length, output_length, turn.

Apache-2.0, https://github.com/alibaba-edu/qwen-bailian-usagetraces-anon
"""

from __future__ import annotations

from collections.abc import Sequence

from metaroce.loads.layout import Kind, Layout

COLUMNS = "jsonl chat_id, timestamp (s), input_length, output_length"


def layout(columns: Sequence[str], kind: Kind) -> Layout | None:
    """Where the request stands, or None when these keys are not Qwen's."""
    known = {"chat_id", "timestamp", "input_length", "output_length"} <= set(columns)
    return Layout("timestamp", "input_length", "output_length") if kind == "jsonl" and known else None
