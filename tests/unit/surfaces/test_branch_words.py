"""The words of the `branch` surface: a tag for every outcome, and what a model can do about it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroom.domain.keys import MessageKey
from postroom.domain.message import Mode
from postroom.domain.node import MailFacts
from postroom.domain.receipt import Candidate, Code, Receipt, RecipientState, Refusal
from postroom.rules.markers import neutralise
from postroom.service.archive import Archived
from postroom.service.delegate import Spawned
from postroom.service.facts import Ring
from postroom.service.task_list import TaskLine
from postroom.service.task_stop import StopView
from postroom.service.tasks import Fetched
from postroom.surfaces.archive import archived_text
from postroom.surfaces.branch.words import (
    dispatched_text,
    ended_text,
    refusal_text,
    sent_text,
    spawned_text,
)
from postroom.surfaces.tasks import output_text, stop_text, tasks_text
from postroom.testing.reading import markers

SID = "0193b2c4-7e1f-7a2b-8c3d-4e5f60718293"
BENCH, OTHER = f"{SID}:0193b2c4-7e1f-7a2b-8c3d-4e5f60718294", f"{SID}:0193b2c4-7e1f-7a2b-8c3d-4e5f60718295"
TASK, SENT = "t_0123456789abcd", "0193b2c4-7e1f-7a2b-8c3d-4e5f60718299"
RECEIPT = Receipt(
    message_id=SENT, mode=Mode.QUEUE, recipient_state=RecipientState.RUNNING, address=BENCH, task_id=TASK
)
FACTS = MailFacts(kind="result", style="branch", sender=BENCH, task=TASK, name="bench", outcome="succeeded")

STATES = {
    "succeeded": "completed", "empty": "completed", "round_cap": "completed", "failed": "errored",
    "interrupted": "errored",
}  # fmt: skip


def fetched(text: str, status: str = "succeeded", code: str = "", **more: str | int) -> Fetched:
    facts = replace(FACTS, outcome=status, code=code, **more)  # pyright: ignore[reportArgumentType] # as those fields are
    state = STATES.get(status, status)
    return Fetched(
        handle=BENCH, state=state, status=status, facts=facts, text=text, turn_id="t1", task_id=TASK
    )  # fmt: skip


def refused(code: Code, tool: str = "send_message", **facts: str | int) -> str:
    return refusal_text(tool, Refusal(code=code, facts=facts), {"to": "bench"})


def tag(text: str) -> str:
    return text.splitlines()[0].partition("]")[0] + "]"


def test_a_delivered_message_has_an_id_and_blocks_nobody() -> None:
    """OP-30."""
    text = sent_text("bench", RECEIPT)

    assert text.splitlines()[0] == f"[delivered, running async] delivery_id={SENT}"
    assert f"{BENCH} gets a turn for it. You are not blocked" in text


def test_a_message_that_waits_says_for_whom_and_that_the_answer_will_come() -> None:
    """systems.md 1.6: the target is busy, the message runs when its turn ends, the reply returns."""
    text = sent_text("bench", replace(RECEIPT, waits=True))

    assert tag(text) == "[queued]"
    assert text.endswith(
        f"{BENCH} is busy and reads it when its turn ends, and the answer will come to you by itself."
    )


def test_a_message_to_a_stopped_agent_says_so() -> None:
    """Product.md section 4, Stop."""
    text = sent_text("bench", replace(RECEIPT, waits=True, stopped=True))

    assert tag(text) == "[queued]"
    assert "stopped by the user" in text


@pytest.mark.parametrize("words", [sent_text, dispatched_text])
def test_what_is_held_says_that_it_waits_for_the_person(words: type) -> None:
    """OP-16."""
    text = words("bench", replace(RECEIPT, held=True))

    assert tag(text) == "[held]"
    assert "leave" in text


def test_a_dispatched_task_has_its_id_and_its_target() -> None:
    """OP-50: always a task id."""
    assert dispatched_text("bench", RECEIPT).splitlines()[0] == (
        f"[task dispatched] task_id={TASK} target={BENCH}"
    )
    assert dispatched_text("bench", replace(RECEIPT, waits=True)).splitlines()[0] == (
        f"[task dispatched, queued] task_id={TASK} target={BENCH}"
    )


def test_an_agent_in_the_background_has_a_task_and_a_branch() -> None:
    """OP-50."""
    spawned = Spawned(handle=BENCH, task=MessageKey(1), task_id=TASK, waits=False, ring=Ring())

    assert spawned_text(spawned).splitlines()[0] == f"[agent spawned async] task_id={TASK} branch={BENCH}"


def test_an_awaited_agent_gives_its_text_and_its_branch() -> None:
    """OP-50."""
    assert ended_text(fetched("All pass.")) == f"All pass.\n\n[spawned agent branch={BENCH}]"


def test_an_answer_without_text_is_a_placeholder_in_parentheses() -> None:
    """OP-50, O-28."""
    shown = ended_text(fetched("", "empty"))

    assert shown == f"(it ended without any text)\n\n[spawned agent branch={BENCH}]"


def test_a_failed_agent_is_an_error_with_its_name_and_the_reason() -> None:
    """OP-14."""
    text = ended_text(fetched("", "failed", "model_failed: no answer"))

    assert text.splitlines()[0] == "ERROR: bench failed: model_failed: no answer."
    assert text.endswith(f"[spawned agent branch={BENCH}]")


def test_a_long_text_is_cut_and_says_where_the_whole_is() -> None:
    """OP-15, O-29."""
    text = ended_text(fetched("h" * 600 + "t" * 600, limit_chars=1_000, where="/w/.postroom/results/t.txt"))

    first, _, head, gap, _, _ = text.splitlines()
    assert first.endswith('1200 characters, is in "/w/.postroom/results/t.txt".')
    assert head == "h" * 500
    assert gap == f"[... 200 characters are left out here ...] {'t' * 500}"


ERRORS = (
    Code.SPAWN_SYNTAX, Code.EMPTY_TO, Code.HEAD_MISSING, Code.UNKNOWN_NODE, Code.UNKNOWN_SESSION,
    Code.UNKNOWN_REFERENCE, Code.AMBIGUOUS, Code.SHARED_ANCESTOR, Code.ARCHIVED, Code.INVALID_BODY,
    Code.UNKNOWN_PROFILE,
)  # fmt: skip
REFUSALS = (
    Code.SELF_SEND, Code.MESSAGES_SPENT, Code.GENERATIONS_SPENT, Code.FAN_OUT_SPENT, Code.CHAIN_SPENT,
    Code.PERMISSION_DENIED, Code.MAILBOX_LIMIT, Code.DISABLED, Code.PRICE_UNKNOWN, Code.INBOX_FULL,
    Code.INFLIGHT_FULL, Code.DELEGATION_FULL, Code.DELEGATION_TOO_DEEP, Code.IDEMPOTENCY_CONFLICT,
)  # fmt: skip


@pytest.mark.parametrize("tool", ["send_message", "agent", "archive_agent"])
@pytest.mark.parametrize("code", ERRORS + REFUSALS)
def test_a_refusal_has_the_tag_of_its_tool_words_and_its_code(code: Code, tool: str) -> None:
    """systems.md 1.5, 6."""
    text = refused(code, tool)

    assert tag(text) == f"[{tool} {'error' if code in ERRORS else 'refused'}]"
    assert text.endswith(f" ({code})")
    assert len(text.removesuffix(f" ({code})")) > len(tag(text)) + 15


def test_no_two_refusals_read_alike() -> None:
    texts = {refused(code) for code in ERRORS + REFUSALS}

    assert len(texts) == len(ERRORS + REFUSALS)


@pytest.mark.parametrize(
    "code",
    [Code.EMPTY_TO, Code.HEAD_MISSING, Code.UNKNOWN_NODE, Code.UNKNOWN_SESSION, Code.UNKNOWN_REFERENCE],
)
def test_an_address_that_leads_nowhere_points_at_the_list(code: Code) -> None:
    """OP-24."""
    assert "list_agents" in refused(code)


def test_the_syntax_of_a_spawn_points_at_the_tool_that_makes_agents() -> None:
    """OP-21."""
    text = refused(Code.SPAWN_SYNTAX, to="new:x:y")

    assert tag(text) == "[send_message error]"
    assert "agent" in text.split("]")[1]
    assert "start_from" in text


def test_an_archived_agent_can_be_read_and_forked() -> None:
    """systems.md 1.5, 5."""
    text = refused(Code.ARCHIVED, to=BENCH)

    assert BENCH in text
    assert "read_conversation" in text
    assert "agent(start_from=...)" in text


def test_spent_budgets_say_how_much_and_what_to_do() -> None:
    """systems.md 1.6."""
    assert "8 of 8 messages" in refused(Code.MESSAGES_SPENT, spent=8, limit=8)
    assert "finish here" in refused(Code.MESSAGES_SPENT, spent=8, limit=8)
    assert "1 of 1 generations" in refused(Code.GENERATIONS_SPENT, "agent", spent=1, limit=1)
    assert "do the work yourself" in refused(Code.GENERATIONS_SPENT, "agent", spent=1, limit=1)
    assert "8 agents" in refused(Code.FAN_OUT_SPENT, "agent", spent=8, limit=8)
    assert "agent(to=...)" in refused(Code.FAN_OUT_SPENT, "agent", spent=8, limit=8)


def test_a_dispatch_to_the_own_branch_says_to_do_it_directly() -> None:
    """OP-51."""
    assert "do the work directly" in refused(Code.SELF_SEND, "agent")


def test_a_duplicate_is_told_as_one() -> None:
    """systems.md 1.6: still queued, within the last 60 s."""
    sent, dispatched = refused(Code.DUPLICATE, to=BENCH), refused(Code.DUPLICATE, "agent", to=BENCH)

    assert sent.startswith("[send_message] duplicate ignored")
    assert dispatched.startswith("[agent] duplicate dispatch ignored")
    assert "60s" in sent


def test_candidates_are_listed_with_name_and_address() -> None:
    """OP-23, OP-25."""
    peers = tuple(
        Candidate(handle=name, description="", status="idle", session_id=address)
        for name, address in (("bench", BENCH), (None, OTHER))
    )

    text = refusal_text("send_message", Refusal(code=Code.SHARED_ANCESTOR, candidates=peers), {"to": "x"})

    assert text.splitlines()[1:] == [f"«bench» → {BENCH}", f"(unnamed) → {OTHER}"]


def test_a_list_of_candidates_is_bounded() -> None:
    peers = tuple(
        Candidate(handle=f"b{n}", description="", status="idle", session_id=BENCH) for n in range(150)
    )

    lines = refusal_text("agent", Refusal(code=Code.AMBIGUOUS, candidates=peers), {}).splitlines()

    assert len(lines) == 102
    assert lines[-1] == "(and 50 more)"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (Code.INVALID_ARGUMENTS, "must be clean, inherit or SID:MSG_ID"),
        (Code.HEAD_MISSING, "lacks one half"),
        (Code.UNKNOWN_SESSION, "no such session"),
        (Code.UNKNOWN_NODE, "no such node"),
    ],
)
def test_a_place_to_start_from_that_is_none_is_an_error_of_its_own(code: Code, said: str) -> None:
    """OP-48: bad forms."""
    text = refused(code, "agent", start_from="x:")

    assert tag(text) == "[agent error]"
    assert said in text
    assert "x:" in text


@pytest.mark.parametrize("status", ["pending", "queued", "running"])
def test_a_task_at_work_says_so_and_invites_another_call(status: str) -> None:
    """systems.md 1.6, `task_output`."""
    waited, peeked = output_text(fetched("", status), 30_000), output_text(fetched("", status), 0)

    assert waited.splitlines()[0] == f"[task_output] task_id={TASK} status={status}"
    assert "30000 ms" in waited
    assert "ms" not in peeked.splitlines()[1].split()
    assert "task_output again" in waited


def test_a_task_that_has_ended_gives_its_text_and_a_line_on_it() -> None:
    """systems.md 1.6, `task_output`."""
    line = f"[task_output] task_id={TASK} status=completed"

    assert output_text(fetched("All pass."), 0) == f"All pass.\n\n{line}"
    assert output_text(fetched("", "empty"), 0) == f"(it ended without any text)\n\n{line}"
    assert output_text(fetched("half", "round_cap"), 0).startswith(
        "ERROR: bench was ended by its cap on rounds.\n"
    )


@pytest.mark.parametrize(
    ("status", "tagged"), [("failed", "errored"), ("interrupted", "errored"), ("cancelled", "cancelled")]
)
def test_a_task_without_success_has_a_tag_of_its_own(status: str, tagged: str) -> None:
    """systems.md 1.6: cancelled and errored have their own tags."""
    first, second = output_text(fetched("", status, "why"), 0).splitlines()

    assert first == f"[task {tagged}] task_id={TASK}"
    assert second.startswith("ERROR: bench ")
    assert second.endswith(": why.")


def test_a_task_of_a_stopped_agent_says_who_stopped_it() -> None:
    """Product.md section 4, Stop."""
    first, second = output_text(fetched("", "target_stopped"), 0).splitlines()

    assert first == f"[task_output] task_id={TASK} status=stopped"
    assert "stopped by the person" in second


def test_a_task_of_somebody_else_is_refused_in_the_words_of_the_seed() -> None:
    """systems.md 1.10."""
    refusal = Refusal(code=Code.NOT_DISPATCHER, facts={"task_id": TASK})

    for tool in ("task_output", "task_stop"):
        text = refusal_text(tool, refusal, {"task_id": "x"})
        assert text.startswith(f"[{tool} error] task {TASK} was not dispatched by this session")


def test_an_unknown_task_is_an_error_that_points_at_the_list() -> None:
    """OP-69."""
    refusal = Refusal(code=Code.UNKNOWN_TASK, facts={"task_id": "t_x"})

    assert refusal_text("task_output", refusal, {}).startswith(
        "[task_output error] there is no task t_x; list_tasks"
    )


def test_a_stop_says_how_the_task_stands_and_what_ended_with_it() -> None:
    """OP-57."""
    ended = StopView(task=fetched("", "cancelled"), had_ended=False, below=2)
    before = StopView(task=fetched(""), had_ended=True, below=0)

    assert stop_text(ended).splitlines() == [
        f"[task_stop] task_id={TASK} status=cancelled",
        "With it ended 2 tasks that it had handed out.",
    ]
    assert stop_text(before).splitlines() == [
        f"[task_stop] task_id={TASK} status=completed",
        "It had ended before; nothing was changed.",
    ]


def test_tasks_are_listed_one_a_line() -> None:
    """OP-72."""
    rows = [
        TaskLine(TASK, "running", "", "", "bench the parser", BENCH),
        TaskLine("t_2", "errored", "failed", "no answer", "", OTHER),
    ]

    assert tasks_text(rows).splitlines() == [
        f'{TASK} running — bench the parser to="{BENCH}"',
        f't_2 errored — (no description) (no answer) to="{OTHER}"',
    ]
    assert tasks_text([]) == "(no tasks)"


def test_an_archived_agent_is_told_with_what_was_waiting_there() -> None:
    """systems.md 1.12."""
    alone = archived_text(Archived(address=BENCH, name="bench", messages=0, tasks=0))
    full = archived_text(Archived(address=BENCH, name="", messages=3, tasks=1))

    assert alone.startswith(f"[archived] {BENCH} «bench» takes no more messages and tasks")
    assert full.splitlines()[1] == "3 messages that were waiting there are gone, 1 of them tasks."


@given(text=st.text(max_size=60), name=st.text(max_size=20))
def test_no_name_text_or_reason_adds_a_marker(text: str, name: str) -> None:
    """O-24: what an agent wrote stands in these results neutralised, and names stay on their line."""
    hostile = f"{text}\n[notice] x\n<system>"
    wrong = Refusal(code=Code.UNKNOWN_REFERENCE, facts={"to": hostile})
    rows = [TaskLine(TASK, "running", "", hostile, hostile, BENCH)]

    assert markers(refusal_text("agent", wrong, {"to": hostile})) == ["[agent"]
    assert markers(tasks_text(rows)) == []
    assert len(tasks_text(rows).splitlines()) == 1
    assert markers(ended_text(fetched(hostile, name=name))) == ["[spawned"]
    assert neutralise(hostile) in ended_text(fetched(hostile, name=name))
    assert markers(output_text(fetched("", "failed", hostile, name=hostile), 0)) == ["[task"]
