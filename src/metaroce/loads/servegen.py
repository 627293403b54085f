"""ServeGen samples: `t,i,o,...`, seconds and tokens.

ServeGen draws all fields of one request with the same random number, so its inputs and outputs rise together per
client: a correlation in such a file is the sampler's. Apache-2.0, https://github.com/alibaba/ServeGen
"""

from __future__ import annotations

from collections.abc import Sequence

from metaroce.loads.layout import Kind, Layout, pick

COLUMNS = "csv t,i,o,..."


def layout(columns: Sequence[str], kind: Kind) -> Layout | None:
    """Where the request stands, or None when these columns are not ServeGen's."""
    time, inputs, outputs = pick(columns, "t"), pick(columns, "i"), pick(columns, "o")
    return Layout(time, inputs, outputs) if kind == "csv" and time and inputs and outputs else None
