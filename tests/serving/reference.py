"""A slow, plain serving simulator, one step at a time, written apart from the engine: what it must equal exactly."""

from __future__ import annotations

import itertools
from collections import deque
from dataclasses import dataclass, field

from metaroce.loads.requests import RequestTable
from metaroce.model.service import Service
from metaroce.serving.draws import draw_candidates
from metaroce.serving.network import NetworkTimes, draw_request_ns, step_tape, tape_starts
from metaroce.serving.roofline import StepModel


@dataclass
class Request:
    number: int
    ready: int
    input: int
    output: int
    weight: int
    made: int = 0
    cache: int = 0  # tokens in the cache; while prefilling: tokens prefilled so far
    target: int = 0  # tokens to prefill
    decoding: bool = False
    read_at: int = 0  # when its prompt was last read
    queued_at: int = 0
    queued: int = 0
    network: int = 0
    first: int | None = None
    done: int | None = None
    preemptions: int = 0
    refused: bool = False


@dataclass
class Replica:
    model: StepModel
    service: Service
    tape: list[int]
    at: int
    clock: int = 0
    busy: int = 0
    peak: int = 0
    waiting: deque[Request] = field(default_factory=deque)
    running: list[Request] = field(default_factory=list)  # in order of admission
    routed: list[Request] = field(default_factory=list)

    def blocks(self, tokens: int) -> int:
        return -(-tokens // self.model.block_tokens)

    @property
    def used(self) -> int:
        return sum(self.blocks(r.cache if r.decoding else r.target) for r in self.running)

    def outstanding(self, now: int) -> int:
        prompts = sum(r.input for r in self.routed if not r.decoding or r.read_at > now)
        return prompts + sum(r.weight for r in self.routed if r.done is None or r.done > now)

    def growing(self) -> int:
        return sum(r.decoding and r.cache % self.model.block_tokens == 0 for r in self.running)

    def step(self) -> None:
        crowded = False
        while self.used + self.growing() > self.model.blocks:
            self._preempt()
            crowded = True
        decoders = [r for r in self.running if r.decoding]
        grow = self.growing()
        budget = self.service.chunk_tokens - len(decoders)
        tokens, pairs, ended = 0, 0.0, []
        prefilling = [r for r in self.running if not r.decoding]
        while budget > 0:
            if not prefilling:
                if crowded or not self.waiting or not self._admit(grow):
                    break
                prefilling = [self.running[-1]]
            request = prefilling[0]
            chunk = min(budget, request.target - request.cache)
            pairs += chunk * (2.0 * request.cache + chunk) * 0.5
            request.cache += chunk
            budget -= chunk
            tokens += chunk
            if request.cache == request.target:
                ended.append(request)
                prefilling = []
        self._carry_out(decoders, ended, tokens, pairs)

    def _preempt(self) -> None:
        victim = self.running.pop()
        victim.preemptions += 1
        victim.decoding = False
        victim.queued_at = self.clock
        self.waiting.appendleft(victim)

    def _admit(self, grow: int) -> bool:
        request = self.waiting[0]
        target = request.input + request.made
        spare = int(self.model.blocks * self.service.kv_watermark) if self.running else 0
        if len(self.running) >= self.service.max_batch:
            return False
        if self.used + grow + self.blocks(target) + spare > self.model.blocks:
            return False
        self.waiting.popleft()
        request.target, request.cache = target, 0
        request.queued += self.clock - request.queued_at
        self.running.append(request)
        return True

    def _carry_out(self, decoders: list[Request], ended: list[Request], tokens: int, pairs: float) -> None:
        model, width = self.model, len(decoders) + tokens
        for request in decoders:
            request.cache += 1
        fabric = 0 if self.tape else int(model.fabric_ps[width])
        noise = self.tape[self.at % len(self.tape)] if self.tape else 0
        time = int(model.base_ps[width]) + model.kv_ps * sum(r.cache for r in decoders) + fabric + noise
        time += int(model.pair_ps * pairs + 0.5)
        self.peak = max(self.peak, self.used)
        self.at += 1
        self.clock += time
        self.busy += time
        for request in self.running:
            request.network += fabric + noise
        for request in ended:
            request.read_at = self.clock
        for request in decoders + ended:
            request.made += 1
            request.decoding = True
            if request.first is None:
                request.first = self.clock
            if request.made == request.output:
                request.done = self.clock
                self.running.remove(request)


def simulate_plainly(
    requests: RequestTable, service: Service, model: StepModel, replicas: int, network: NetworkTimes, seed: int
) -> tuple[list[Request], list[Replica]]:
    """Requests in table order, and the replicas at the end."""
    sums = step_tape(network, seed)
    tape = [int(b - a) for a, b in itertools.pairwise(sums)]
    starts = tape_starts(network, replicas, seed)
    pool = [Replica(model, service, tape, int(start)) for start in starts]
    own = draw_request_ns(network, len(requests), seed)
    answer = round(float(requests.output_tokens.mean()))
    rows = [
        Request(i, int(requests.arrival_ns[i] + own[i]) * 1000, int(requests.input_tokens[i]),
                int(requests.output_tokens[i]), answer)
        for i in range(len(requests))
    ]  # fmt: skip
    pick = draw_candidates(len(rows), replicas, seed)
    for place, request in enumerate(sorted(rows, key=lambda r: (r.ready, r.number))):
        _advance(pool, request.ready)
        _route(pool, request, place, pick[request.number], service)
    _advance(pool, 1 << 62)
    for request in rows:
        request.network += int(own[request.number]) * 1000
    return rows, pool


def _advance(pool: list[Replica], until: int) -> None:
    for replica in pool:
        while replica.clock < until and (replica.running or replica.waiting):
            replica.step()


def _route(pool: list[Replica], request: Request, place: int, pick, service: Service) -> None:
    if service.router == "round-robin":
        chosen = place % len(pool)
    else:
        candidates = [int(r) for r in pick] if service.router == "two-choices" else range(len(pool))
        chosen = min(candidates, key=lambda r: pool[r].outstanding(request.ready))
    replica = pool[chosen]
    too_large = replica.blocks(request.input + request.output - 1) > replica.model.blocks
    if too_large or (service.max_queue is not None and len(replica.waiting) >= service.max_queue):
        request.refused = True
        return
    if not replica.running and not replica.waiting:
        replica.clock = max(replica.clock, request.ready)
    request.queued_at = request.ready
    replica.waiting.append(request)
    replica.routed.append(request)
