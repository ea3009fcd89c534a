"""Folding the events of work that outlives its call, of timed texts, and of what answers cost."""

from postroom.rules.fold import rows
from postroom.rules.fold.state import Facts, Folded, NotFoldable


def began(state: Folded, facts: Facts) -> None:
    """`work.began`: it may outlive its call."""
    state.producers[facts.key("producer")] = rows.Producer(
        branch=facts.key("branch"), turn=facts.key("turn"), call=facts.key("call")
    )


def ended(state: Folded, facts: Facts) -> None:
    """`work.ended`: told once, by a message."""
    key = facts.key("producer")
    row = state.producers.get(key)
    if row is None or row.state != "open":
        raise NotFoldable(f"work {key} is not open")
    state.producers[key] = row._replace(state="ended", message=facts.key("message"))


def timer_set(state: Folded, facts: Facts) -> None:
    """`timer.set`: a text waits for its time."""
    state.timers[facts.key("timer")] = rows.Timer(branch=facts.key("branch"), due_us=facts.key("due_us"))


def timer_ended(state: Folded, facts: Facts) -> None:
    """`timer.ended`: said or taken back, once."""
    key = facts.key("timer")
    row = state.timers.get(key)
    if row is None or row.state != "set":
        raise NotFoldable(f"timer {key} does not wait")
    state.timers[key] = row._replace(state=facts.word("state"), message=facts.maybe("message"))


def spent(state: Folded, branch: int, facts: Facts, *, rounds: int = 1) -> None:
    """What an answer says of its cost; a log older than migration 2 says nothing of the day."""
    day = facts.maybe("day")
    if day is None:
        return
    key, cost = (branch, facts.key("chain"), day), facts.maybe("cost_micros")
    row = state.spends.get(key, rows.Spend())
    state.spends[key] = rows.Spend(
        rounds=row.rounds + rounds,
        input_tokens=row.input_tokens + facts.key("input_tokens"),
        output_tokens=row.output_tokens + facts.key("output_tokens"),
        cache_read_tokens=row.cache_read_tokens + facts.key("cache_read_tokens"),
        cache_write_tokens=row.cache_write_tokens + facts.key("cache_write_tokens"),
        cost_micros=row.cost_micros + (cost or 0),
        unpriced=row.unpriced + (cost is None),
    )
