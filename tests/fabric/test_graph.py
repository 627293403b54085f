"""The port arrays hold together, and impossible links are refused with the place they stand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.fabric.graph import Endpoint, Link, Switch, assemble, propagation_ps
from metaroce.kit.errors import InputError


@st.composite
def parts(draw):
    """Endpoints and switches with random links between them, given in any order and direction."""
    hosts, switches = draw(st.integers(1, 8)), draw(st.integers(2, 5))
    node = st.integers(hosts, hosts + switches - 1)
    links = [
        Link(host, draw(node), draw(st.integers(1, 9)) * 10**9, draw(st.integers(0, 99)), 1.0) for host in range(hosts)
    ]
    pairs = draw(st.lists(st.tuples(node, node).filter(lambda p: p[0] != p[1]), max_size=8))
    links += [Link(a, b, 10**9, 5, 2.0) for a, b in pairs]
    links = [
        link if draw(st.booleans()) else link._replace(a=link.b, b=link.a) for link in draw(st.permutations(links))
    ]
    return [Endpoint(f"h{i}", i) for i in range(hosts)], [Switch(f"s{i}") for i in range(switches)], links


@given(parts())
def test_ports_pair_up_and_begin_with_the_endpoints(given_parts):
    endpoints, switches, links = given_parts
    fabric = assemble(endpoints, switches, links)
    ports = np.arange(fabric.ports)
    assert fabric.ports == 2 * len(links)
    assert (fabric.port_reverse[fabric.port_reverse] == ports).all()
    assert (fabric.port_reverse != ports).all()
    assert (fabric.port_node[fabric.port_reverse] == fabric.port_peer).all()
    for column in (fabric.port_rate, fabric.port_delay_ps, fabric.port_cable_m):
        assert (column[fabric.port_reverse] == column).all()
    assert (fabric.port_node[: fabric.endpoints] == np.arange(fabric.endpoints)).all()
    assert (fabric.port_peer[: fabric.endpoints] >= fabric.endpoints).all()
    asked = sorted(tuple(sorted((link.a, link.b))) for link in links)
    assert sorted(tuple(sorted(p)) for p in zip(fabric.port_node, fabric.port_peer, strict=True))[::2] == asked


@pytest.mark.parametrize(
    ("links", "says"),
    [
        ([Link(0, 2, 1, 1)], "no link"),
        ([Link(0, 2, 1, 1), Link(1, 2, 1, 1), Link(0, 2, 1, 1)], "more than one link"),
        ([Link(0, 1, 1, 1)], "without a switch"),
        ([Link(0, 3, 1, 1)], "outside 0..2"),
        ([Link(2, 2, 1, 1)], "to itself"),
        ([Link(0, 2, 0, 1)], "rate 0"),
        ([Link(0, 2, 1, -1)], "delay -1"),
    ],
)
def test_impossible_links_are_refused(links, says):
    with pytest.raises(InputError, match=says) as error:
        assemble([Endpoint("a"), Endpoint("b", 1)], [Switch("s")], links)
    assert error.value.where


def test_no_endpoint_is_no_fabric():
    with pytest.raises(InputError, match="no endpoint"):
        assemble([], [Switch("s")], [])


def test_light_needs_5_05_ns_a_metre():
    assert propagation_ps(100) == 505_000


def test_a_port_has_a_name_for_messages():
    fabric = assemble([Endpoint("a"), Endpoint("b", 1)], [Switch("s")], [Link(0, 2, 1, 1), Link(1, 2, 1, 1)])
    assert fabric.port_name(0) == "a->s"
    assert fabric.port_name(3) == "s->b"
