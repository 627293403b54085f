"""A flow alone takes exactly the closed form, on any line of links."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st


def test_written_out_by_hand(lab):
    """3 packets over 100G and 50G, 1 us each way: pipelined behind the slower link, then one ACK."""
    case = lab.star_case(lab.star([100 * lab.G, 50 * lab.G]), [0], [1], 2500)
    data = 80_000 + lab.US + 2 * 160_000 + 80_000 + lab.US  # 1000 B at 100G, two whole ones and half a one at 50G
    ack = 9_600 + lab.US + 4_800 + lab.US
    result = case.run()
    assert result.flows.fct_ps.tolist() == [data + ack] == result.flows.ideal_ps.tolist()
    assert result.flows.delivered_ps.tolist() == [data]


@given(
    rates=st.tuples(*[st.sampled_from([10, 25, 40, 100, 200, 400])] * 2), size=st.integers(1, 30_000),
    delays=st.tuples(*[st.integers(0, 3_000_000)] * 3), header=st.integers(0, 100), clock=st.sampled_from(["ps", "ns"]),
    interval=st.integers(1, 5),
)  # fmt: skip
def test_one_flow_on_an_idle_path_is_exact(lab, rates, size, delays, header, clock, interval):
    fabric = lab.star([rate * lab.G for rate in rates], delay_ps=delays[0], switch_ps=delays[1], nic_ps=delays[2])
    settings = lab.BARE.model_copy(update={"header": header, "clock": clock, "ack_interval": interval})
    result = lab.star_case(fabric, [0], [1], size).run(settings)
    assert result.flows.fct_ps.tolist() == result.flows.ideal_ps.tolist()
    assert result.flows.slowdown.tolist() == [1.0]
    assert result.unaccounted_bytes() == 0


def test_the_same_over_several_switches(lab):
    case = lab.routed_case(lab.leaf_spine(2, 2, 2), [0], [3], 123_456)
    result = case.run()
    assert case.paths.shape[1] == 4
    assert (result.flows.slowdown == 1).all()
