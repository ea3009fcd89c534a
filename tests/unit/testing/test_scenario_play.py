"""Scenarios fail when they should: each kind of expectation, each verb that cannot be done."""

from pathlib import Path

import pytest

from postroom.testing.scenario import Outcome, Status, read_file, run_file

HEAD = """\
title: t
agents:
  r:
    delegates_to: [b]
    may_message: [child]
    script:
      - calls: [{delegate_subagent: {description: b, prompt: work, agent_type: b, background: true}}]
      - calls: [{send_message: {to: "${agent:b}", body: m1}}]
      - text: done
  b:
    script:
      - text: ready
      - text: read
gates:
  second: {model: r, round: 2}
steps:
  - prompt: {to: r, text: begin}
    as: said
  - wait_for: {agents: {b: {state: finished}}}
  - open: second
  - quiesce:
"""


async def played(folder: Path, text: str) -> Outcome:
    file = folder / "t.yaml"
    file.write_text(text, encoding="utf-8")
    return await run_file(read_file(file), "tree", folder / "run")


@pytest.mark.parametrize(
    ("expect", "expected", "seen"),
    [
        ("requests: {of: b, count: 9}", "9 requests of b", "2"),
        ("requests: {count: {at_most: 3}}", "at most 3 requests of all agents", "5"),
        ("request: {of: b, number: 7}", "request 7 of b", "2 requests"),
        ("request: {of: b, roles: [user]}", "roles ['user']", "['user', 'assistant', 'user']"),
        ("request: {of: b, lacks: m1}", "no text with 'm1'", "m1"),
        ("request: {of: b, times: {m1: 2}}", "'m1' so often: 2", "1"),
        ("request: {of: b, in_order: [m1, work]}", "'work' behind 'm1'", "m1"),
        ("request: {of: r, tools: [look]}", "tools ['look']", "send_message"),
        ("history: {of: b, last_equals: [gone]}", "last texts ['gone']", "['read']"),
        ("result: {of: r, number: 2, is_error: true}", "is_error True", "False"),
        ("results: {of: r, are: [ok]}", "results of r: ['ok']", "['ok', 'ok']"),
        ("receipt: {of: r, mode: queue}", "mode 'queue'", "'steer'"),
        ("receipt: {of: r, number: 5}", "that is there", "r has 1 receipts, not 5"),
        ("messages: {to: b, count: 0}", "mail to b: 0", "1"),
        ("messages: {to: b, are: [{body: m1, state: accepted}]}", "1. state 'accepted'", "'consumed'"),
        ("messages: {to: b, are: [{sender: b}]}", "1. sender 'b'", "r"),
        ("read: {by: b, bodies: []}", "mail read by b: []", "['m1']"),
        ("tasks: {of: b, are: [{outcome: failed}]}", "1. outcome 'failed'", "'succeeded'"),
        (
            "events: {kind: turn.ended, of: b, payload: {state: failed}}",
            "at least 1 turn.ended of b",
            "finished",
        ),
        (
            "event_order: {of: b, kinds: [turn.ended, session.created]}",
            "events in this order",
            "session.created",
        ),
        ("agents: {b: {state: running}}", "b running", "finished"),
        ("agents: {b: {count: 2}}", "2 agents b", "1"),
        ("agents: {nobody: {unread: 1}}", "that is there", "there is no agent 'nobody' yet"),
        ("kept: {name: said, holds: {session_id: x}}", "said with", "session_id"),
        ("files: {a.txt: {contains: x}}", "file a.txt: exists True", "False"),
        ("equal: [a, b]", "equal values", "['a', 'b']"),
        ("different: [a, '${said.session_id}', a]", "different values", "['a', "),
        ("stream: {client: ui, equals_log: true}", "a client ui", "there are none"),
    ],
)
async def test_an_expectation_that_does_not_hold_is_told(
    tmp_path: Path, expect: str, expected: str, seen: str
) -> None:
    outcome = await played(tmp_path, f"{HEAD}  - expect: {{{expect}}}\n")

    assert (outcome.status, outcome.step) == (Status.FAILED, "step 5, expect")
    assert expected in outcome.expected
    assert seen in outcome.seen


async def test_a_script_that_runs_out_breaks_an_invariant(tmp_path: Path) -> None:
    """I4"""
    outcome = await played(tmp_path, HEAD.replace("      - text: done\n", ""))

    assert outcome.status is Status.FAILED
    assert "I4 r: was asked for round 3, its script has 2" in outcome.seen


async def test_an_invariant_that_is_excepted_may_be_broken(tmp_path: Path) -> None:
    text = HEAD.replace("      - text: done\n", "") + "invariants: {except: I4}\n"

    assert (await played(tmp_path, text)).status is Status.PASSED


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ("cancel: b", "already_ended"),
        ("stop: nobody_00000000", "not_found"),
        ("tear_store:", "use kill9 first"),
        ("drop: {client: ui}", "there are none"),
        ("{quiesce: , refused: inbox_full}", "done"),
        ("send_as_user: {to: b, body: ' '}", "invalid_body"),
        ("prompt: {to: '${agent:nobody}', text: x}", "there is no agent 'nobody' yet"),
    ],
)
async def test_a_step_that_cannot_be_taken_fails_the_file(tmp_path: Path, step: str, words: str) -> None:
    outcome = await played(tmp_path, f"{HEAD}  - {step}\n")

    assert outcome.status is Status.FAILED
    assert words in outcome.seen


async def test_a_refusal_that_is_expected_is_a_result(tmp_path: Path) -> None:
    steps = "  - {cancel: b, refused: already_ended, as: said_no}\n"
    steps += "  - expect: {kept: {name: said_no, holds: {code: already_ended}}}\n"

    assert (await played(tmp_path, HEAD + steps)).status is Status.PASSED


async def test_a_file_may_leave_its_process_frozen_and_its_store_locked(tmp_path: Path) -> None:
    steps = "  - thaw:\n  - lock_store: hold\n  - freeze:\n"

    assert (await played(tmp_path, HEAD + steps)).status is Status.PASSED


async def test_a_file_may_leave_its_process_dead(tmp_path: Path) -> None:
    assert (await played(tmp_path, HEAD + "  - kill9:\n")).status is Status.PASSED


@pytest.mark.parametrize("more", ["", "  - boot:\n"])
async def test_a_kill_that_never_strikes_fails_the_file(tmp_path: Path, more: str) -> None:
    outcome = await played(tmp_path, HEAD + "  - kill9: {at: retry.before}\n" + more)

    assert outcome.status is Status.FAILED
    assert "the process to die at retry.before" in f"{outcome.expected} {outcome.seen}"


async def test_a_process_that_dies_unasked_fails_the_file(tmp_path: Path) -> None:
    steps = "  - kill9:\n  - freeze:\n  - quiesce:\n    background: true\n    as: end\n  - kill9:\n"

    outcome = await played(tmp_path, HEAD + steps + "  - wait_for: {step: end}\n")

    assert outcome.status is Status.FAILED
    assert "process_died" in outcome.seen


async def test_a_step_in_the_background_that_fails_fails_the_file(tmp_path: Path) -> None:
    outcome = await played(tmp_path, HEAD + "  - {cancel: b, background: true, as: gone}\n")

    assert outcome.status is Status.FAILED
    assert "already_ended" in outcome.seen


async def test_a_failure_in_a_repetition_says_in_which_round(tmp_path: Path) -> None:
    steps = "  - repeat: {times: 3, steps: [{expect: {kept: {name: n, holds: {}}}}]}\n"

    outcome = await played(tmp_path, HEAD + steps)

    assert outcome.step == "step 5.1, expect (round 1)"


async def test_a_scenario_may_run_by_the_real_clock(tmp_path: Path) -> None:
    text = HEAD.replace("title: t", "title: t\nclock: real") + "  - advance: 0.01\n"

    assert (await played(tmp_path, text)).status is Status.PASSED
