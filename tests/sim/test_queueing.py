"""One link against queueing theory: mean waits of M/D/1 and M/G/1 within three standard errors."""

from __future__ import annotations

import numpy as np
import pytest

from metaroce.kit.rng import stream

SENDERS = 64
FLOWS = 120_000


def waits(lab, sizes, load, seed):
    """Waits of single-packet flows that come as a Poisson stream from 64 fast senders to one slow port, in ps."""
    rate = 10 * lab.G
    fabric = lab.star([1000 * rate] * SENDERS + [rate], delay_ps=0, buffer=10**9)
    random = stream(seed, "arrivals")
    gaps = random.exponential(sizes.mean() * 8e12 / rate / load, len(sizes))
    src = random.integers(0, SENDERS, len(sizes))
    case = lab.star_case(fabric, src, SENDERS, sizes, np.cumsum(gaps).astype(np.int64))
    settings = lab.BARE.model_copy(update={"mtu": 65_000, "ack": 1})
    result = case.run(settings)
    assert result.totals.finished == len(sizes) and result.totals.dropped_bytes == 0
    return (result.flows.fct_ps - result.flows.ideal_ps).astype(float)


def mean_and_error(samples, batches=40):
    """Mean and its standard error from batch means; the first batch, while the queue fills, is left out."""
    means = samples[: len(samples) // batches * batches].reshape(batches, -1).mean(1)[1:]
    return means.mean(), means.std(ddof=1) / np.sqrt(len(means))


@pytest.mark.parametrize("load", [0.3, 0.6, 0.8])
def test_fixed_sizes_wait_as_in_m_d_1(lab, load):
    """Pollaczek-Khinchine: W = load D / (2 (1 - load))."""
    mean, error = mean_and_error(waits(lab, np.full(FLOWS, 4000), load, 1))
    service = 4000 * 800
    assert error < 0.05 * mean
    assert mean == pytest.approx(load * service / (2 * (1 - load)), abs=3 * error)


@pytest.mark.parametrize("load", [0.3, 0.6])
def test_exponential_sizes_wait_as_in_m_m_1(lab, load):
    """W = load S / (1 - load), here with the second moment of the sizes drawn (whole bytes, at most 65,000)."""
    sizes = np.clip(stream(2, "sizes").exponential(4000, FLOWS), 1, 65_000).astype(np.int64)
    mean, error = mean_and_error(waits(lab, sizes, load, 2))
    service = sizes * 800.0
    expected = load / service.mean() * (service**2).mean() / (2 * (1 - load))
    assert expected == pytest.approx(load * service.mean() / (1 - load), rel=0.03)
    assert mean == pytest.approx(expected, abs=3 * error)
