"""Who runs: the heap of decoding requests, their KV blocks, preemption, and admission from the queue.

The kernels share their arguments' names: `s` STEP record, `p` the replica's record, `work` all requests, `heap` and
`crossing` the replica's rows (see `_state.Engine`). They come one by one because taking an array out of a tuple counts
a reference each time: with the whole engine in one tuple this was twice as slow.
"""

from __future__ import annotations

from metaroce.kit.jit import inlined

REQUEST = (1 << 32) - 1  # lower half of a heap entry


@inlined
def blocks_of(tokens, block):
    """Blocks that hold `tokens` tokens."""
    return (tokens + block - 1) // block


@inlined
def push(heap, size, entry):
    """Add an entry to a heap of `size` entries."""
    at = size
    while at > 0:
        up = (at - 1) >> 1
        if heap[up] <= entry:
            break
        heap[at] = heap[up]
        at = up
    heap[at] = entry


@inlined
def remove(heap, size, at):
    """Take the entry at position `at` out of a heap that has `size` entries without it."""
    entry = heap[size]
    while at > 0 and heap[(at - 1) >> 1] > entry:
        up = (at - 1) >> 1
        heap[at] = heap[up]
        at = up
    while True:
        down = 2 * at + 1
        if down >= size:
            break
        if down + 1 < size and heap[down + 1] < heap[down]:
            down += 1
        if heap[down] >= entry:
            break
        heap[at] = heap[down]
        at = down
    heap[at] = entry


@inlined
def start_decoding(s, p, work, heap, crossing, q):
    """Request q, whose cache holds `filled` tokens, decodes from the next step on."""
    w = work[q]
    w.born = p.steps
    push(heap, p.running, (p.steps + w.output - w.made) << 32 | q)
    p.running += 1
    p.context += w.filled
    w.phase = (p.phase - w.filled) % s.block
    crossing[w.phase] += 1


@inlined
def stop_decoding(s, p, work, heap, crossing, at):
    """Take the request at heap position `at` out and free its blocks; its `made` is brought up to date."""
    entry = heap[at]
    q = entry & REQUEST
    w = work[q]
    w.made = w.output - ((entry >> 32) - p.steps)
    held = w.filled + p.steps - w.born
    p.context -= held
    p.used -= blocks_of(held, s.block)
    crossing[w.phase] -= 1
    p.running -= 1
    remove(heap, p.running, at)
    w.network += p.net - w.net_mark
    return q


@inlined
def finish(p, w):
    """The request has its last token at the clock of the replica."""
    w.done = p.clock
    lighten(p, w.weight)


@inlined
def lighten(p, tokens):
    """Work of so many tokens ended with the step that ends at the clock; before then the router still counts it."""
    p.load -= tokens
    if p.just_at != p.clock:
        p.just_at = p.clock
        p.just = 0
    p.just += tokens


@inlined
def preempt_last(s, p, work, heap, crossing):
    """Throw out the request that was admitted last; it starts again, prompt and answer so far, at the queue's front."""
    q = p.partial
    if q >= 0:
        p.partial = -1
        p.used -= blocks_of(work[q].filled, s.block)
        work[q].network += p.net - work[q].net_mark
    else:
        last = 0
        for at in range(1, p.running):
            if work[heap[at] & REQUEST].order > work[heap[last] & REQUEST].order:
                last = at
        q = stop_decoding(s, p, work, heap, crossing, last)
        p.load += work[q].input  # its prompt must be read again
    w = work[q]
    w.preemptions += 1
    w.cached = 0
    w.mark = p.clock
    w.next = p.head
    p.head = q
    if p.tail < 0:
        p.tail = q
    p.waiting += 1


@inlined
def admit_head(s, p, work, heap, crossing, fresh):
    """Take the queue's first request in, if a batch place and blocks for all its tokens are free; False if not.

    `fresh` requests end their prefill in this step and hold places too. Blocks that running requests need for this
    step are kept free, and the watermark unless nothing else runs.
    """
    q = p.head
    w = work[q]
    others = p.running + fresh
    fill = w.input + w.made - w.cached
    own = blocks_of(fill, s.block)
    wanted = own + crossing[p.phase]
    if w.cached == 1 and fill % s.block == 0:
        wanted += 1
    if others >= s.max_batch or p.used + wanted + (s.watermark if others > 0 else 0) > s.blocks:
        return False
    p.head = w.next
    if p.head < 0:
        p.tail = -1
    p.waiting -= 1
    w.queued += p.clock - w.mark
    w.net_mark = p.net
    w.order = p.admitted
    p.admitted += 1
    w.filled = fill
    p.used += own
    if w.cached == 1:
        start_decoding(s, p, work, heap, crossing, q)
    else:
        p.partial = q
        p.partial_done = 0
    return True
