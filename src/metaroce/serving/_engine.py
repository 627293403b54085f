"""The serving engine: continuous batching on replicas behind a router, as compiled loops over arrays.

Strategy: a replica is brought forward only when somebody looks at it. While nothing changes in its batch, k decode
steps are one jump: k s0 + g k (k-1)/2 plus one subtraction on the network tape, with k = the next completion, the
last step for which the KV cache has room, or the step during which the looked-at time falls, whichever is first. All
times are whole picoseconds, so a jump equals its steps to the last digit. Steps that prefill go one by one.

Arguments are named as in `_batch`; `time` are the step times, `sums` is the network tape, `e` the whole engine.
"""

from __future__ import annotations

from metaroce.kit.jit import inlined, uncounted
from metaroce.serving._batch import admit_head, blocks_of, finish, lighten, preempt_last, start_decoding, stop_decoding
from metaroce.serving._jump import blocks_for, span_of, steps_until, steps_with_room, tape_sum

NEVER = 1 << 62  # ps: later than any run ends


@inlined
def end_steps(s, p, work, heap, crossing, tape, k, time, net):
    """Bring the clock and the counters k steps forward, and let finished requests go; `tape` = its length."""
    p.clock += time
    p.busy += time
    p.net += net
    p.tape += k
    if p.tape >= tape:
        p.tape %= tape
    p.steps += k
    p.phase += k
    if p.phase >= s.block:
        p.phase %= s.block
    p.context += k * p.running
    while p.running > 0 and heap[0] >> 32 <= p.steps:
        finish(p, work[stop_decoding(s, p, work, heap, crossing, 0)])


@inlined
def decode(s, p, work, heap, crossing, time, sums, until, look):
    """Decode steps in which the batch does not change, as one jump that stops with the first step to end at `until`.

    When the jump would have to stop and `look` is set, nothing is done but noting until when nothing happens: False.
    """
    k = steps_with_room(s, p, crossing, (heap[0] >> 32) - p.steps)
    g = s.kv * p.running
    fabric = time[1, p.running]
    s0 = time[0, p.running] + fabric + s.kv * p.context + g
    takes = span_of(sums, p.tape, k, s0, g)
    span = until - p.clock
    if takes > span:
        if look:
            p.quiet = p.clock + takes
            return False
        if k > 1:
            k = steps_until(sums, p.tape, k, s0, g, span, s.tape_mean)
            takes = span_of(sums, p.tape, k, s0, g)
    p.used += blocks_for(s, p, crossing, k)
    p.peak = max(p.peak, p.used)
    net = k * fabric + tape_sum(sums, p.tape, k)
    end_steps(s, p, work, heap, crossing, max(len(sums) - 1, 1), k, takes, net)
    return True


@inlined
def first_tokens(s, p, work, heap, crossing, fresh, count):
    """The `count` requests in `fresh` have their prefill done: they got a token, and decode unless it was the last."""
    for i in range(count):
        q = fresh[i]
        w = work[q]
        w.made += 1
        lighten(p, w.input)
        if w.first < 0:
            w.first = p.clock
        if w.made < w.output:
            start_decoding(s, p, work, heap, crossing, q)
        else:
            p.used -= blocks_of(w.filled, s.block)
            w.network += p.net - w.net_mark
            finish(p, w)


@inlined
def take_prefill(s, p, work, heap, crossing, fresh, crowded):
    """Fill the step's token budget with prefill: (tokens, query-key pairs, requests in `fresh` that end it).

    The prefill under way goes on first; then the queue is admitted in order, unless somebody was just preempted.
    """
    budget = s.chunk - p.running
    tokens, pairs, count = 0, 0.0, 0
    while budget > 0:
        if p.partial < 0:
            if crowded or p.head < 0 or not admit_head(s, p, work, heap, crossing, count):
                break
            if p.partial < 0:  # its cache came over the network: it decodes in this very step
                budget -= 1
                continue
        q, before = p.partial, p.partial_done
        chunk = min(budget, work[q].filled - before)
        budget -= chunk
        tokens += chunk
        pairs += chunk * (2.0 * before + chunk) * 0.5
        if before + chunk < work[q].filled:
            p.partial_done = before + chunk
        else:
            p.partial = -1
            fresh[count] = q
            count += 1
    return tokens, pairs, count


@inlined
def one_round(s, p, work, heap, crossing, time, sums, fresh, until, look):
    """Schedule the next step and carry it out; without prefill, carry out as many as look alike. False: see decode."""
    crowded = False
    while p.used + crossing[p.phase] > s.blocks:
        preempt_last(s, p, work, heap, crossing)
        crowded = True
    tokens, pairs, count = take_prefill(s, p, work, heap, crossing, fresh, crowded)
    if tokens == 0:
        return decode(s, p, work, heap, crossing, time, sums, until, look and not crowded)
    net = time[1, p.running + tokens] + tape_sum(sums, p.tape, 1)
    takes = time[0, p.running + tokens] + s.kv * (p.context + p.running) + int(s.pair * pairs + 0.5) + net
    p.used += crossing[p.phase]
    p.peak = max(p.peak, p.used)
    end_steps(s, p, work, heap, crossing, max(len(sums) - 1, 1), 1, takes, net)
    first_tokens(s, p, work, heap, crossing, fresh, count)
    return True


@uncounted
def advance(e, r, until, look):
    """Carry out every step of replica r that starts before `until`.

    With `look` only the requests in flight at `until` matter, so steps in which nothing finishes by then may wait.
    """
    p = e.replica[r]
    if p.clock >= until or (look and p.quiet >= until):
        return
    step, time, sums, work, _, heaps, crossings, fresh = e
    s, heap, crossing = step[0], heaps[r], crossings[r]
    while p.clock < until and (p.running > 0 or p.partial >= 0 or p.head >= 0):
        if not one_round(s, p, work, heap, crossing, time, sums, fresh, until, look):
            break


@inlined
def outstanding(p, now):
    """Weights of the requests that the replica has not finished at `now`."""
    return p.load + (p.just if p.just_at > now else 0)


@inlined
def choose(e, router, i, pick):
    """The replica for the i-th request: 0 in turn, 1 the less loaded of pick[i], 2 the least loaded of all."""
    if router == 0:
        return i % len(e.replica)
    now = e.work[i].ready
    best, least = 0, NEVER
    for j in range(2 if router == 1 else len(e.replica)):
        r = int(pick[i, j]) if router == 1 else j
        advance(e, r, now, True)
        load = outstanding(e.replica[r], now)
        if load < least:
            best, least = r, load
    return best


@inlined
def enqueue(e, r, q, alone):
    """Bring the replica forward to the time of request q and put q at the end of its queue, or refuse it.

    `alone`: it is brought to an end instead, and its clock set back, so that q meets an idle replica.
    """
    p, w, s = e.replica[r], e.work[q], e.step[0]
    advance(e, r, NEVER if alone else w.ready, False)
    if alone:
        p.clock = 0
    w.replica = r
    if blocks_of(w.input + w.output - 1, s.block) > s.blocks:
        w.refused = 1
        return
    if p.waiting >= s.max_queue:
        w.refused = 2
        return
    if p.running == 0 and p.partial < 0 and p.head < 0:
        p.clock = max(p.clock, w.ready)
    w.mark = w.ready
    if p.tail >= 0:
        e.work[p.tail].next = q
    else:
        p.head = q
    p.tail = q
    p.waiting += 1
    p.load += w.weight + (0 if w.cached else w.input)
    p.quiet = 0


@uncounted
def serve(e, router, pick, start, stop, alone):
    """Route requests start..stop-1 in order; `alone` (one replica): each meets it idle, as if no other existed."""
    for i in range(start, stop):
        enqueue(e, choose(e, router, i, pick), i, alone)


@uncounted
def drain(e, until):
    """Bring all replicas forward to `until`."""
    for r in range(len(e.replica)):
        advance(e, r, until, False)


@uncounted
def fill_work(work, order, ready, inputs, outputs, answer, cached):
    """Lay out untouched requests in the order in which they become ready.

    The router counts prompt tokens that are not yet read, and a mean answer for every request that is not finished.
    """
    for i in range(len(work)):
        w, q = work[i], order[i]
        w.ready, w.input, w.output = ready[q], inputs[q], outputs[q]
        w.weight = answer
        w.cached = w.made = cached
        w.first = w.done = w.next = w.replica = -1


@uncounted
def read_work(work, order, columns):
    """columns[c, q] of request q in table order: first, done, queued, network, refused, preemptions, replica."""
    for i in range(len(work)):
        w, q = work[i], order[i]
        columns[0, q], columns[1, q] = w.first, w.done
        columns[2, q], columns[3, q] = w.queued, w.network
        columns[4, q], columns[5, q], columns[6, q] = w.refused, w.preemptions, w.replica
