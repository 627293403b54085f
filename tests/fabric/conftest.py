"""The catalog, and fabrics that several tests look at."""

from __future__ import annotations

from functools import partial

import pytest

from metaroce.catalog.read import read_catalog
from metaroce.fabric import build as building
from metaroce.model.devices import Nic, Switch
from metaroce.model.topology import Explicit, NamedEndpoint, NamedLink, NamedSwitch


@pytest.fixture(scope="session")
def build():
    """`build(topology, servers)` with the whole catalog."""
    return partial(building.build, switches=read_catalog(Switch, "switches"), nics=read_catalog(Nic, "nics"))


@pytest.fixture(scope="session")
def ring():
    """`ring(n)`: n switches in a circle with one endpoint each, the smallest fabric that can lock."""

    def make(count: int) -> Explicit:
        hosts = [NamedLink(a=f"h{i}", b=f"s{i}") for i in range(count)]
        circle = [NamedLink(a=f"s{i}", b=f"s{(i + 1) % count}") for i in range(count)]
        return Explicit(
            endpoints=tuple(NamedEndpoint(name=f"h{i}", server=i) for i in range(count)),
            switches=tuple(NamedSwitch(name=f"s{i}") for i in range(count)),
            links=tuple(hosts + circle),
        )

    return make
