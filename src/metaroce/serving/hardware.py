"""From the names in a service to the nouns of the catalog, and what they leave room for."""

from __future__ import annotations

from dataclasses import dataclass

from metaroce.catalog.read import lookup, read_catalog
from metaroce.kit.errors import ScenarioError
from metaroce.model.accelerators import BYTES_PER_VALUE, Gpu, Llm, Precision, Server
from metaroce.model.service import Service


@dataclass(frozen=True, slots=True)
class Hardware:
    """A service with its names looked up.

    precision     of weights and matrix products
    gpus          GPUs of one replica
    attention_dp  copies of the attention layers in one replica (1 unless experts are spread wider than tensors)
    """

    service: Service
    llm: Llm
    gpu: Gpu
    server: Server
    precision: Precision
    gpus: int
    attention_dp: int

    @property
    def weight_bytes_per_gpu(self) -> float:
        """Bytes of weights on one GPU: dense layers shared by TP, experts by all GPUs of the replica."""
        per_value = BYTES_PER_VALUE[self.precision]
        dense = self.llm.dense_parameters / self.service.tensor_parallel
        return (dense + self.llm.expert_parameters / self.gpus) * per_value

    @property
    def kv_bytes_per_gpu(self) -> float:
        """Bytes of KV cache of one token on one GPU: heads are shared by TP; MLA and the last head are copied."""
        whole = self.llm.kv_bytes(self.service.kv_precision)
        return whole if self.llm.mla_kv_values else whole / min(self.service.tensor_parallel, self.llm.kv_heads)

    @property
    def spans_servers(self) -> bool:
        """True when the replica is larger than one scale-up domain: expert traffic then crosses the fabric."""
        return self.gpus > self.server.scale_up_gpus

    @property
    def nic_rate_per_gpu(self) -> float:
        """Fabric bandwidth of one GPU in bit/s."""
        return self.server.nic_rate * self.server.nics / self.server.gpus

    def kv_blocks(self) -> int:
        """Blocks of KV cache in one replica. Raises ScenarioError when the weights leave no room for any."""
        service = self.service
        offered = self.gpu.memory * service.memory_share - service.activation_memory
        free = offered - self.weight_bytes_per_gpu
        blocks = int(free / self.kv_bytes_per_gpu * self.attention_dp) // service.kv_block_tokens if free > 0 else 0
        if blocks < 1:
            need, have = self.weight_bytes_per_gpu / 1e9, offered / 1e9
            raise ScenarioError(
                f"{self.llm.product} in {self.precision} puts {need:.1f} GB of weights on each GPU, "
                f"{self.gpu.product} offers {have:.1f} GB",
                where="service.tensor_parallel",
                hint=f"use more GPUs per replica (now {self.gpus}), a GPU with more memory, or precision fp8",
            )
        return blocks


def find_hardware(service: Service) -> Hardware:
    """Look up model, GPU and server. Raises ScenarioError for unknown names, a server with other GPUs, and tensor
    parallelism that leaves the scale-up domain (an all-reduce of 1 MiB takes 20 us inside, 460 us across two servers).
    """
    llm = service.llm if isinstance(service.llm, Llm) else lookup(Llm, "llms", service.llm, field="service.llm")
    gpu = service.gpu if isinstance(service.gpu, Gpu) else lookup(Gpu, "gpus", service.gpu, field="service.gpu")
    server = _server(service)
    tp, ep = service.tensor_parallel, service.expert_parallel
    if tp > server.scale_up_gpus:
        raise ScenarioError(
            f"tensor_parallel {tp} is more than the {server.scale_up_gpus} connected GPUs of {server.product}",
            where="service.tensor_parallel", hint="keep tensor parallelism inside the server",
        )  # fmt: skip
    if ep > 1 and not llm.experts:
        raise ScenarioError(
            f"{llm.product} has no experts to spread", where="service.expert_parallel", hint="set expert_parallel to 1"
        )
    if llm.heads % tp:
        raise ScenarioError(
            f"{llm.heads} attention heads cannot be shared by {tp} GPUs", where="service.tensor_parallel",
            hint="use a divisor, usually 1, 2, 4 or 8",
        )  # fmt: skip
    gpus = service.gpus_per_replica
    return Hardware(service, llm, gpu, server, service.precision or llm.native, gpus, gpus // tp)


def _server(service: Service) -> Server:
    if isinstance(service.server, Server):
        return service.server
    if service.server is not None:
        server = lookup(Server, "servers", service.server, field="service.server")
        if isinstance(service.gpu, str) and server.gpu != service.gpu:
            raise ScenarioError(
                f"{server.product} holds {server.gpu}, the service asks for {service.gpu}", where="service.server",
                hint="leave server empty to take the one that fits",
            )  # fmt: skip
        return server
    for server in read_catalog(Server, "servers").values():
        if server.gpu == service.gpu:
            return server
    raise ScenarioError(
        "no server in the catalog holds this GPU", where="service.server", hint="name one, or write one out"
    )
