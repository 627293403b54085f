"""A RequestTable as csv, in the plain format that `read` reads back without loss."""

from __future__ import annotations

from collections.abc import Iterator

from metaroce.kit.units import NS_PER_S
from metaroce.loads.requests import RequestTable

_BATCH = 100_000


def csv_text(table: RequestTable) -> Iterator[str]:
    """The file piece by piece: a header, then seconds with nine decimals and the token counts."""
    yield "timestamp,input_tokens,output_tokens\n"
    for low in range(0, len(table), _BATCH):
        rows = slice(low, low + _BATCH)
        seconds, rest = (part.tolist() for part in divmod(table.arrival_ns[rows], NS_PER_S))
        asked, given = table.input_tokens[rows].tolist(), table.output_tokens[rows].tolist()
        yield "".join(f"{s}.{r:09d},{i},{o}\n" for s, r, i, o in zip(seconds, rest, asked, given, strict=True))
