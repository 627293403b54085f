"""Azure LLM inference traces: `TIMESTAMP,ContextTokens,GeneratedTokens`, dates with up to 7 decimals.

The files of 2023 and 2024 share these columns (those of 2024 end their dates in +00:00); the multimodal one of 2025
adds NumImages. CC-BY-4.0, https://github.com/Azure/AzurePublicDataset
"""

from __future__ import annotations

from collections.abc import Sequence

from metaroce.loads.layout import Kind, Layout, pick

COLUMNS = "csv TIMESTAMP,ContextTokens,GeneratedTokens"


def layout(columns: Sequence[str], kind: Kind) -> Layout | None:
    """Where the request stands, or None when these columns are not Azure's."""
    time, inputs, outputs = pick(columns, "timestamp"), pick(columns, "contexttokens"), pick(columns, "generatedtokens")
    return Layout(time, inputs, outputs) if kind == "csv" and time and inputs and outputs else None
