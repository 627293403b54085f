"""Mooncake (Kimi): one JSON object a line with timestamp (ms), input_length, output_length, hash_ids.

The conversation trace stands on 3 s ticks, so its statistics at 1 s are an artefact.
Apache-2.0, https://github.com/kvcache-ai/Mooncake (FAST 2025)
"""

from __future__ import annotations

from collections.abc import Sequence

from metaroce.loads.layout import Kind, Layout

COLUMNS = "jsonl timestamp (ms), input_length, output_length"


def layout(columns: Sequence[str], kind: Kind) -> Layout | None:
    """Where the request stands, or None when these keys are not Mooncake's; `chat_id` marks Qwen's, in seconds."""
    known = {"timestamp", "input_length", "output_length"} <= set(columns)
    if kind != "jsonl" or not known or "chat_id" in columns:
        return None
    return Layout("timestamp", "input_length", "output_length", unit="ms")
