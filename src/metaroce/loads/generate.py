"""Requests drawn from a model: renewal streams of independent clients, warped by office hours and bursts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from metaroce.kit.rng import stream
from metaroce.loads.intensity import Intensity
from metaroce.loads.read import read_requests
from metaroce.loads.requests import RequestTable
from metaroce.loads.tokens import draw_fixed, draw_from, draw_lognormal
from metaroce.model.requests import EmpiricalTokens, FixedTokens, GeneratedRequests, Tokens

_CHUNK = 1 << 22  # gaps drawn at once

Floats = NDArray[np.float64]


def generate(
    spec: GeneratedRequests, seed: int, *, traces: Mapping[str, RequestTable] | None = None
) -> RequestTable:  # fmt: skip
    """Draw a table; the same spec and seed give the same bytes.

    traces  tables of the traces that empirical token counts name, by path; those missing are read from their path
    Raises InputError when such a trace cannot be read.
    """
    rate = Intensity.of(spec, seed)
    unit = renewal_arrivals(rate.total, spec.cv, spec.clients, stream(seed, "requests", "arrivals"))
    arrival = rate.moments(unit)
    inputs = _tokens(spec.input_tokens, 0, len(arrival), seed, traces or {})
    outputs = _tokens(spec.output_tokens, 1, len(arrival), seed, traces or {})
    return RequestTable(arrival, inputs, outputs, f"generator {spec.rate:.4g}/s, seed {seed}")


def renewal_arrivals(length: float, cv: float, clients: int, rng: np.random.Generator) -> Floats:
    """Sorted moments in 0..length of `clients` equal renewal streams that together arrive at rate 1.

    Gaps are Gamma with shape 1/cv^2 (cv 1: exponential). Every stream starts in equilibrium: its first gap is a
    uniform part of a length-biased one, Gamma with shape 1/cv^2 + 1 (Cox, Renewal Theory, 1962, ch. 5). Without
    that, a cv of 13 would add 84 requests per client.
    """
    shape = 1 / cv**2
    scale = clients / shape
    if cv == 1:
        clients, scale = 1, 1.0  # superposed Poisson streams are one Poisson stream
    found: list[Floats] = []
    for start in range(0, clients, _CHUNK // 8):
        many = min(_CHUNK // 8, clients - start)
        at = rng.random(many) * rng.gamma(shape + 1, scale, many)
        at = at[at < length]
        while len(at):
            found.append(at)
            at = _more(at, length, shape, scale, found, rng)
    return np.sort(np.concatenate(found)) if found else np.empty(0)


def _more(
    at: Floats, length: float, shape: float, scale: float, found: list[Floats], rng: np.random.Generator
) -> Floats:
    """Draw a round of gaps for the streams that stand at `at`; returns the moments of those still short of the end."""
    left = float(np.mean(length - at)) / (shape * scale)
    gaps = int(np.clip(left + 3 * np.sqrt(left / shape) + 1, 1, max(1, _CHUNK // len(at))))
    moments = at[:, None] + np.cumsum(rng.gamma(shape, scale, (len(at), gaps)), axis=1)
    last = moments[:, -1]
    inner = moments[:, :-1].ravel()
    found.append(inner[inner < length])
    return last[last < length]


def _tokens(
    law: Tokens, column: int, count: int, seed: int, traces: Mapping[str, RequestTable]
) -> NDArray[np.int32]:  # fmt: skip
    rng = stream(seed, "requests", "input tokens" if column == 0 else "output tokens")
    if isinstance(law, FixedTokens):
        return draw_fixed(law, count)
    if isinstance(law, EmpiricalTokens):
        table = traces[law.path] if law.path in traces else read_requests(Path(law.path), format=law.format)[0]
        return draw_from(table.output_tokens if column else table.input_tokens, count, rng)
    return draw_lognormal(law, count, rng)
