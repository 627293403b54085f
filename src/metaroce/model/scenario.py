"""One scenario: everything the chain is computed from, from the requests to the money."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from metaroce.model.base import Noun, PsTime
from metaroce.model.bill import BillPlan
from metaroce.model.capacity import Capacity
from metaroce.model.fabric_settings import SimSettings
from metaroce.model.money import Money
from metaroce.model.requests import Burst, GeneratedRequests, Requests
from metaroce.model.service import Lognormal, Service, Slo
from metaroce.model.supply import Capacity as Output
from metaroce.model.supply import Ordering, OtherBuyers, SupplyChain, Tier
from metaroce.model.topology import Rail, Topology
from metaroce.model.transfers import Background, GivenTransfers, Transfers, Windows

SCHEMA_VERSION = 1


class FabricPlan(SimSettings):
    """The fabric: its shape, what travels on it, and how switches and NICs behave."""

    topology: Topology = Rail()
    """Shape and devices; its size follows from the GPU count unless `servers` is given."""
    transfers: Transfers = GivenTransfers()
    """What requests and engine steps send between servers."""
    host_overhead: PsTime = 2_200_000
    """what one transfer costs outside the wires: work request, PCIe, completion, on both hosts together. 64 B take
    3.6 us between hosts on one leaf (DeepSeek, ISCA 2025), of which cables, switch and NICs here are 1.4 us."""
    background: Background = Background()
    """Other traffic on the same links."""
    windows: Windows = Windows()
    """Which part of the load is simulated packet by packet."""


def switch_tiers() -> tuple[Tier, ...]:
    """SaaS/cloud -> equipment -> chip -> foundry for switches: one ASIC a switch, 60 good dies a wafer (assumption).

    Lead times: a 100G RoCE switch took 8 weeks before the shortage (field report), of them 2 for shipping here.
    """
    return (
        Tier(name="cloud", lead_time_weeks=2, ordering=Ordering(policy="pass_through", safety_factor=0)),
        Tier(name="equipment", lead_time_weeks=6, other_buyers=OtherBuyers(units_per_week=400, demand_cv=0.1)),
        Tier(name="chip", lead_time_weeks=4, capacity=Output(over_ordinary=1.25)),
        Tier(name="foundry", lead_time_weeks=10, units_per_parent=1 / 60, capacity=Output(over_ordinary=1.15)),
    )


class Orders(Noun):
    """Who makes what the bill lists, and when it is wanted."""

    servers: SupplyChain = SupplyChain()
    """Chain that makes the GPU servers."""
    switches: SupplyChain = SupplyChain(tiers=switch_tiers())
    """Chain that makes the switches."""
    order_week: Annotated[int, Field(ge=0, le=500)] = 8
    """Week in which the bill is ordered, counted from the start of the simulated horizon."""
    spread_weeks: Annotated[int, Field(ge=1, le=104)] = 1
    """Weeks over which the order is placed in equal parts: 1 = all at once."""
    wanted_in_weeks: Annotated[int, Field(ge=0, le=500)] = 10
    """Weeks from the order until the service needs its GPUs; what is missing from then on is rented."""
    paths: Annotated[int, Field(ge=2, le=1_000_000)] = 400
    """Simulated courses of the market, for the P10-P90 bands."""


class Sensitivity(Noun):
    """Which inputs are moved to see how much the answer follows."""

    step: Annotated[float, Field(gt=0, lt=1)] = 0.2
    """Each input is moved down and up by this share."""
    enabled: bool = True
    """False saves the re-runs."""


class Scenario(Noun):
    """From the packet to the purchase order, in one file."""

    schema_version: Literal[1] = SCHEMA_VERSION
    """Version of this file's format."""
    name: str = "office-assistant"
    """Short name, used in titles."""
    description: str = "An assistant for office work: a 70B model behind retrieval, used in bursts on the minute."
    """One sentence for the report."""
    seed: Annotated[int, Field(ge=0, le=2**31)] = 1
    """First seed; same scenario, seed and version give the same bytes."""
    seeds: Annotated[int, Field(ge=1, le=1000)] = 5
    """How many seeds are run; intervals are over them."""
    requests: Requests = GeneratedRequests(rate=20.0, duration="10min", burst=Burst())  # pyright: ignore[reportArgumentType]
    """Who asks, when, and how much."""
    service: Service = Service(
        llm="llama-3.1-70b", gpu="h100-sxm", tensor_parallel=8, chunk_tokens=2048,
        rag=Lognormal(mean="25ms", p95="40ms"), serialisation=Lognormal(mean="12ms", p95="20ms"),  # pyright: ignore[reportArgumentType]
        slos=(
            Slo(metric="ttft", quantile=0.95, limit="300ms"),  # pyright: ignore[reportArgumentType]
            Slo(metric="tpot", quantile=0.95, limit="50ms"),  # pyright: ignore[reportArgumentType]
        ),
    )  # fmt: skip
    """The LLM service on its GPUs, and what its users were promised."""
    fabric: FabricPlan = FabricPlan()
    """The network between the servers."""
    capacity: Capacity = Capacity()
    """How many GPUs, and what is reserved on top."""
    bill: BillPlan = BillPlan()
    """Racks, spares, repair times."""
    orders: Orders = Orders()
    """The supply chain."""
    money: Money = Money()
    """Prices and bookkeeping."""
    sensitivity: Sensitivity = Sensitivity()
    """Which inputs move the answer most."""
