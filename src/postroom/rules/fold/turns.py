"""Folding the events of sessions, turns, answers and calls."""

from postroom.domain.turn import LIVE_STATES, CallState, TurnState
from postroom.rules.fold import asks, rows, work
from postroom.rules.fold.state import (
    Facts,
    Folded,
    NotFoldable,
    branch_of,
    hold_in_memory,
    let_go,
    turn_of,
)


def made(state: Folded, facts: Facts) -> None:
    """`session.created`: a session with its first branch."""
    state.branches[facts.key("branch")] = rows.Branch(
        session=facts.key("session"), parent=facts.maybe("parent_branch")
    )
    asks.made(state, facts)


def paused(state: Folded, facts: Facts) -> None:
    """`branch.paused`: by the branch where the person pressed stop."""
    key = facts.key("branch")
    state.branches[key] = branch_of(state, key)._replace(paused_by=facts.key("by"))


def unpaused(state: Folded, facts: Facts) -> None:
    """`branch.unpaused`."""
    key = facts.key("branch")
    state.branches[key] = branch_of(state, key)._replace(paused_by=None)


def appended(state: Folded, facts: Facts) -> None:
    """`nodes.appended`: the head moves, the context grows."""
    key = facts.key("branch")
    row = branch_of(state, key)
    state.branches[key] = row._replace(
        head=facts.key("head"), context_chars=row.context_chars + facts.key("chars")
    )


def began(state: Folded, facts: Facts) -> None:
    """`chain.began`: its limits are fixed; a log from before they were has none of them."""
    state.chains[facts.key("chain")] = rows.Chain(
        turns_max=facts.maybe("turns_max"), messages_max=facts.maybe("messages_max"),
        generations_max=facts.maybe("generations_max"), fan_out_max=facts.maybe("fan_out_max"),
        tokens_max=facts.maybe("tokens_max"), cost_micros_max=facts.maybe("cost_micros_max"),
    )  # fmt: skip


def waiting(state: Folded, facts: Facts) -> None:
    """`turn.waiting`: a turn occupies its branch."""
    key, branch = facts.key("turn"), facts.key("branch")
    row = branch_of(state, branch)
    if row.turn is not None:
        raise NotFoldable(f"branch {branch} has turn {row.turn} already")
    state.turns[key] = rows.Turn(
        branch=branch, session=row.session, trigger=facts.word("trigger"), chain=facts.key("chain"),
        task=facts.maybe("task"),
    )  # fmt: skip
    state.branches[branch] = row._replace(turn=key)


def started(state: Folded, facts: Facts) -> None:
    """`turn.started`: it runs, and costs its chain one turn. An older log knows no task but its own."""
    key, task = facts.key("turn"), facts.maybe("task")
    row = _turn_in(state, key, TurnState.WAITING)
    state.turns[key] = row._replace(
        state=TurnState.RUNNING.value, fence=facts.key("fence"), chain=facts.key("chain"),
        task=task, messages=facts.key("messages"), generations=facts.key("generations"),
        answers=facts.maybe("answers"), lineage=facts.maybe("lineage") or task,
    )  # fmt: skip
    _charge(state, facts.key("chain"), turns=1, tokens=0)
    hold_in_memory(state, row.branch)
    state.turns_started += 1


def suspended(state: Folded, facts: Facts) -> None:
    """`turn.suspended`: it only waits."""
    key = facts.key("turn")
    row = _turn_in(state, key, TurnState.RUNNING)
    state.turns[key] = row._replace(state=TurnState.SUSPENDED.value)


def resumed(state: Folded, facts: Facts) -> None:
    """`turn.resumed`: its last wait is over."""
    key = facts.key("turn")
    row = _turn_in(state, key, TurnState.SUSPENDED)
    state.turns[key] = row._replace(state=TurnState.RUNNING.value)


def deepened(state: Folded, facts: Facts) -> None:
    """`turn.deepened`: a deeper steer joined."""
    key = facts.key("turn")
    state.turns[key] = turn_of(state, key)._replace(
        messages=facts.key("messages"), generations=facts.key("generations")
    )


def fanned_out(state: Folded, facts: Facts) -> None:
    """`turn.fanned_out`: it has made one agent more."""
    key = facts.key("turn")
    state.turns[key] = turn_of(state, key)._replace(fan_out=facts.key("agents"))


def extended(state: Folded, facts: Facts) -> None:
    """`turn.extended`: a gate kept it from ending."""
    key = facts.key("turn")
    state.turns[key] = _turn_in(state, key, TurnState.RUNNING)._replace(stop_asks=facts.key("asks"))


def capped(state: Folded, facts: Facts) -> None:
    """`turn.capped`: only an answer without tools is left to it."""
    key = facts.key("turn")
    state.turns[key] = _turn_in(state, key, TurnState.RUNNING)._replace(is_last=1)


def reviewed(state: Folded, facts: Facts) -> None:
    """`turn.reviewed`: reviewers have let a call through for what the person asked for in it."""
    key = facts.key("turn")
    state.turns[key] = turn_of(state, key)._replace(reviews=facts.key("reviews"))


def carried_on(state: Folded, facts: Facts) -> None:
    """`turn.carried_on`: it was cut, and goes on in another process."""
    key = facts.key("turn")
    row = _turn_in(state, key, *LIVE_STATES)
    state.turns[key] = row._replace(fence=facts.key("fence"), resumes=facts.key("resumes"))
    hold_in_memory(state, row.branch)


def ended(state: Folded, facts: Facts) -> None:
    """`turn.ended`: its branch is free."""
    key, after = facts.key("turn"), TurnState(facts.word("state"))
    row = _turn_in(state, key, TurnState.WAITING, *LIVE_STATES)
    state.turns[key] = row._replace(
        state=after.value, fence=facts.key("fence"), end_reason=facts.word("end_reason")
    )
    branch = branch_of(state, row.branch)
    state.branches[row.branch] = branch._replace(
        turn=None, last_turn_state=after.value, turns=branch.turns + (row.state in LIVE_STATES)
    )


def answered(state: Folded, facts: Facts) -> None:
    """`answer.committed`: one more round, its calls open, its tokens charged."""
    key, round_ = facts.key("turn"), facts.key("round")
    row = _turn_in(state, key, TurnState.RUNNING)
    if round_ != row.rounds + 1:
        raise NotFoldable(f"round {round_} does not follow round {row.rounds} of turn {key}")
    state.turns[key] = row._replace(rounds=round_, resumes=0)
    branch = branch_of(state, row.branch)
    state.branches[row.branch] = branch._replace(rounds=branch.rounds + 1)
    for position, call in enumerate(facts.keys("calls")):
        state.calls[call] = rows.Call(turn=key, round=round_, position=position)
    tokens = facts.key("input_tokens") + facts.key("output_tokens")
    cost_micros = facts.maybe("cost_micros") or 0
    _charge(state, facts.key("chain"), turns=0, tokens=tokens, cost_micros=cost_micros)
    work.spent(state, row.branch, facts)


def side_called(state: Folded, facts: Facts) -> None:
    """`side_call.made`: no round, but its tokens are charged."""
    tokens = facts.key("input_tokens") + facts.key("output_tokens")
    cost_micros = facts.maybe("cost_micros") or 0
    _charge(state, facts.key("chain"), turns=0, tokens=tokens, cost_micros=cost_micros)
    work.spent(state, turn_of(state, facts.key("turn")).branch, facts, rounds=0)


def call_waits(state: Folded, facts: Facts) -> None:
    """`call.waiting`: the call waits for a task, for the person, or for its targets."""
    turn = facts.key("turn")
    state.waits[facts.key("call")] = rows.Wait(
        branch=turn_of(state, turn).branch, turn=turn, task=facts.maybe("task"), ask=facts.maybe("ask"),
        kind=facts.word_or("wait", ""), by_mail=facts.maybe("by_mail") or 0,
        since_pos=facts.maybe("since_pos"), targets=facts.json_or("targets", "[]"),
    )  # fmt: skip


def call_went_on(state: Folded, facts: Facts) -> None:
    """`call.went_on`: its wait is over."""
    state.waits.pop(facts.key("call"), None)


def kept(state: Folded, facts: Facts) -> None:
    """`turn.kept`: it waits for the person only, and goes on in another process."""
    key = facts.key("turn")
    row = _turn_in(state, key, TurnState.SUSPENDED)
    state.turns[key] = row._replace(fence=facts.key("fence"))
    hold_in_memory(state, row.branch)


def call_changed(state: Folded, facts: Facts) -> None:
    """`call.changed`: hooks put other arguments beside the model's."""
    key = facts.key("call")
    state.calls[key] = _open_call(state, key)._replace(changed_by=facts.word("by"))


def call_ended(state: Folded, facts: Facts) -> None:
    """`call.ended`: it has its one result, and waits no more."""
    key = facts.key("call")
    row = _open_call(state, key)
    ended_by, delivery = facts.word("ended_by"), facts.maybe("delivery")
    state.calls[key] = row._replace(state=CallState.ENDED.value, ended_by=ended_by, delivery=delivery)
    state.waits.pop(key, None)


def notified(state: Folded, facts: Facts) -> None:
    """`person.notified`."""
    state.notices[facts.key("notice")] = rows.Notice()


def notice_seen(state: Folded, facts: Facts) -> None:
    """`notice.seen`: the person has read it, once."""
    key = facts.key("notice")
    row = state.notices.get(key)
    if row is None or row.seen:
        raise NotFoldable(f"notice {key} was not to be read")
    state.notices[key] = row._replace(seen=1)


def process_started(state: Folded, facts: Facts) -> None:
    """`process.started`: one more start of a process, with nothing in memory yet."""
    state.epoch = facts.key("epoch")
    for branch in tuple(state.residents):
        let_go(state, branch)


def loaded(state: Folded, facts: Facts) -> None:
    """`branch.loaded`: a front end has opened it."""
    hold_in_memory(state, facts.key("branch"))


def evicted(state: Folded, facts: Facts) -> None:
    """`branch.evicted`: it left the memory."""
    let_go(state, facts.key("branch"))


def _open_call(state: Folded, key: int) -> rows.Call:
    row = state.calls.get(key)
    if row is None or row.state != CallState.OPEN:
        raise NotFoldable(f"call {key} is not open")
    return row


def _turn_in(state: Folded, key: int, *allowed: TurnState) -> rows.Turn:
    row = turn_of(state, key)
    if row.state not in allowed:
        raise NotFoldable(f"turn {key} is {row.state}")
    return row


def _charge(state: Folded, key: int, *, turns: int, tokens: int, cost_micros: int = 0) -> None:
    """The chain may have begun in another session's log, so that one log alone can be folded too."""
    chain = state.chains.get(key, rows.Chain())
    state.chains[key] = chain._replace(
        turns=chain.turns + turns, tokens=chain.tokens + tokens, cost_micros=chain.cost_micros + cost_micros
    )
