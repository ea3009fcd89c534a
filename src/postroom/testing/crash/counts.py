"""Tasks, turns, counters and the log itself after a kill."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator

from postroom.domain.event import EventKind
from postroom.domain.message import Kind, State
from postroom.domain.task import FINAL_STATES, TaskState
from postroom.domain.turn import OPEN_STATES
from postroom.testing.crash.finding import Finding, Trouble
from postroom.testing.crash.record import Record

_ANEW = (EventKind.BRANCH_REVERTED, EventKind.SESSION_FORKED, EventKind.CONTEXT_COMPACTED)
"""Events that say how long a conversation is, not how much longer."""


def _stuck(text: str) -> Finding:
    return Finding(trouble=Trouble.STUCK, text=text)


def _off(text: str) -> Finding:
    return Finding(trouble=Trouble.MISCOUNTED, text=text)


def tasks(record: Record) -> Iterator[Finding]:
    """Every task has ended once and was reported once; only a cancel may need no report."""
    ended = Counter(e.num("task") for e in record.of_kind(EventKind.TASK_ENDED))
    reports = Counter(
        m.num("task_id")
        for m in record.messages
        if m.txt("kind") in (Kind.RESULT, Kind.NOTICE) and m.has("task_id") and m.has("sender_branch_id")
    )
    unread = (State.HELD, State.ACCEPTED)
    waiting = {d.num("message_id") for d in record.deliveries if d.txt("state") in unread}
    for task in record.tasks:
        key, state = task.num("id"), task.txt("state")
        if state not in FINAL_STATES and key not in waiting:
            yield _stuck(f"task {key} is {state}")
        if ended[key] > 1 or reports[key] > 1:
            text = f"task {key} has ended {ended[key]} times and was reported {reports[key]} times"
            yield Finding(trouble=Trouble.DOUBLED, text=text)
        if state in FINAL_STATES and state != TaskState.CANCELLED and reports[key] == 0:
            yield Finding(trouble=Trouble.LOST, text=f"nobody was told how task {key} ended")


def quiet(record: Record) -> Iterator[Finding]:
    """Nothing runs, waits for a slot or for a task, and no mail waits that could open a turn."""
    yield from (
        _stuck(f"turn {t.num('id')} is {t.txt('state')}")
        for t in record.turns
        if t.txt("state") in OPEN_STATES
    )
    yield from (_stuck(f"call {w.num('call_id')} waits for task {w.num('task_id')}") for w in record.waits)
    for branch in record.branches:
        if branch.has("turn_id"):
            yield _stuck(f"branch {branch.num('id')} is held by turn {branch.num('turn_id')}")
        elif not branch.has("paused_by_branch_id") and branch.num("n_steer") + branch.num("n_queue"):
            yield _stuck(f"branch {branch.num('id')} has unread mail and no turn")
    yield from (
        _stuck(f"delivery {d.num('id')} is claimed by turn {d.key('turn_id')}")
        for d in record.deliveries
        if d.txt("state") == State.CLAIMED
    )


def totals(record: Record) -> Iterator[Finding]:
    """Rounds, tokens and the length of each context equal a recount from the log."""
    rounds: Counter[int] = Counter()
    tokens: Counter[int] = Counter()
    chars: Counter[int] = Counter()
    for answer in record.of_kind(EventKind.ANSWER_COMMITTED):
        rounds[answer.num("turn")] += 1
    for paid in record.events:
        if paid.kind in (EventKind.ANSWER_COMMITTED, EventKind.SIDE_CALL_MADE):
            tokens[paid.num("chain")] += paid.num("input_tokens") + paid.num("output_tokens")
    for event in record.events:
        if event.kind == EventKind.BRANCH_REVERTED:
            chars[event.num("sealed")] = chars[event.num("branch")]
        if event.kind in _ANEW:
            chars[event.num("branch")] = event.num("chars")
        elif event.kind == EventKind.NODES_APPENDED:
            chars[event.num("branch")] += event.num("chars")
    kept = [
        *((f"turn {t.num('id')}: rounds", t.num("rounds"), rounds[t.num("id")]) for t in record.turns),
        *((f"chain {c.num('id')}: tokens", c.num("tokens"), tokens[c.num("id")]) for c in record.chains),
        *(
            (f"branch {b.num('id')}: chars", b.num("context_chars"), chars[b.num("id")])
            for b in record.branches
        ),
    ]
    yield from (_off(f"{what} {row}, the log says {log}") for what, row, log in kept if row != log)


def log(record: Record) -> Iterator[Finding]:
    """Each session's log is numbered without a gap, and each turn starts and ends at most once."""
    numbers: dict[int, list[int]] = defaultdict(list)
    for event in record.events:
        numbers[event.session].append(event.seq)
    for session, found in numbers.items():
        if any(want != is_ for want, is_ in zip(itertools.count(1), found, strict=False)):
            yield Finding(trouble=Trouble.INVALID, text=f"the log of session {session} has a gap: {found}")
    for kind in (EventKind.TURN_STARTED, EventKind.TURN_ENDED):
        times = Counter(event.num("turn") for event in record.of_kind(kind))
        for turn, n in times.items():
            if n > 1:
                yield Finding(trouble=Trouble.DOUBLED, text=f"{kind} stands {n} times for turn {turn}")
