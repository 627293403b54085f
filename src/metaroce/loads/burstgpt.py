"""BurstGPT: `Timestamp,[Session ID,Elapsed time,]Model,Request tokens,Response tokens,Total tokens,Log Type`.

Times are seconds since the first day. A response of 0 tokens is a failed request (over 5 % for some services), not a
fault of the file. CC-BY-4.0, https://github.com/HPMLL/BurstGPT
"""

from __future__ import annotations

from collections.abc import Sequence

from metaroce.loads.layout import Kind, Layout, pick

COLUMNS = "csv Timestamp,Model,Request tokens,Response tokens,..."


def layout(columns: Sequence[str], kind: Kind) -> Layout | None:
    """Where the request stands, or None when these columns are not BurstGPT's."""
    time, inputs, outputs = (
        pick(columns, "timestamp"),
        pick(columns, "request_tokens"),
        pick(columns, "response_tokens"),
    )
    if kind != "csv" or not (time and inputs and outputs):
        return None
    return Layout(time, inputs, outputs, failed_when_silent=True)
