"""Scenario files on `branch`: names, addresses, tasks and boards, and how they fail when they should."""

from pathlib import Path

import pytest

from postroom.testing.scenario import Outcome, Status, read_file, run_file

HEAD = """\
title: t
policies: [branch]
agents:
  r:
    afterwards: noted
    script:
      - calls: [{todo_create: {subject: the roof}}]
      - calls:
          - agent: {prompt: one, description: left, agent_id: b, run_in_background: true}
          - agent: {prompt: two, description: right, agent_id: b, run_in_background: true}
      - calls: [{send_message: {to: right, message: m1}}]
      - calls: [{send_message: {to: nobody, message: m2}}]
      - calls: [{send_message: {to: right, message: m1}}]
      - text: done
  b:
    script:
      - text: "${name:b} is ready"
      - text: read
gates:
  all: {model: b, round: 1}
steps:
  - prompt: {to: r, text: begin}
  - wait_for: {gate: {name: all, arrivals: 2}, agents: {r: {state: finished}}}
  - open: all
  - quiesce:
"""


async def played(folder: Path, text: str) -> Outcome:
    file = folder / "t.yaml"
    file.write_text(text, encoding="utf-8")
    return await run_file(read_file(file), "branch", folder / "run")


async def test_agents_tasks_and_boards_are_named_as_the_page_says(tmp_path: Path) -> None:
    more = """\
  - expect: {equal: ["${agent:left}", "${session:r}:${branch:b}"]}
  - expect: {equal: ["${name:b:2}", right], different: ["${agent:left}", "${agent:b:2}"]}
  - expect: {tasks: {of: right, are: [{of: b, id: "${task:b:2}", state: completed}]}}
  - expect: {equal: ["${task:right}", "${task:b:2}"], tasks: {of: b, count: 2}}
  - expect: {todos: {of: right, are: [{number: 1, subject: the roof, owner: main, blocked_by: []}]}}
  - expect: {receipt: {of: r, recipient_state: queued}, results: {of: r, tool: send_message,
      are: [ok, unknown_reference, duplicate]}}
  - expect: {messages: {to: right, are: [{sender: r, body: m1, state: consumed}]}}
  - expect: {messages: {to: left, count: 0}, agents: {b: {count: 2}, right: {state: finished}}}
  - expect: {requests: {of: right, count: 2}, history: {of: left, last_equals: [left is ready]}}
  - expect: {events: {kind: message.consumed, of: right, count: 2}, read: {by: right, bodies: [m1]}}
  - expect: {request: {of: right, envelopes: [{kind: mail, sender: r, body: m1}]}}
"""
    outcome = await played(tmp_path, HEAD + more)

    assert outcome.status is Status.PASSED, outcome


async def test_verbs_take_one_agent_of_several_by_its_name_and_a_task_by_its_id(tmp_path: Path) -> None:
    steps = """\
steps:
  - prompt: {to: r, text: begin}
  - wait_for: {gate: {name: all, arrivals: 2}}
  - cancel: "${task:left}"
  - wait_for: {tasks: {of: left, are: [{state: cancelled}]}}
  - rename: {agent: right, name: miller}
  - stop: miller
  - open: all
  - quiesce:
  - expect: {agents: {miller: {state: paused}, left: {state: cancelled}}, tasks: {of: miller, count: 1}}
  - resume: miller
  - send_as_user: {to: miller, body: go on}
  - quiesce:
  - fork: {agent: miller, at_turn: 1}
  - revert: {agent: miller}
  - archive: miller
  - expect: {agents: {miller: {state: archived}, r: {state: finished}}, history: {of: miller, lacks: go on}}
  - delete: r
"""
    outcome = await played(tmp_path, HEAD.partition("steps:")[0] + steps)

    assert outcome.status is Status.PASSED, outcome


@pytest.mark.parametrize(
    ("expect", "expected", "seen"),
    [
        ("todos: {of: r, are: []}", "todos of r: number 0", "1"),
        ("todos: {of: r, are: [{status: completed}]}", "todos of r: 1. status 'completed'", "'pending'"),
        ("tasks: {of: left, are: [{id: t_1}]}", "tasks of left: 1. id 't_1'", "t_"),
        ("tasks: {of: left, are: [{of: right}]}", "tasks of left: 1. of right", "left"),
        ("receipt: {of: r, recipient_state: held}", "recipient held", "queued"),
        ("messages: {to: right, are: [{sender: left}]}", "1. sender 'left'", ""),
        ("history: {of: centre, contains: x}", "that is there", "no agent 'centre' yet; 0 of that name"),
        ("requests: {of: left, count: 9}", "9 requests of left", "1"),
        ('equal: ["${task:left:2}", x]', "references that lead somewhere", "left was given 1 tasks, not 2"),
    ],
)
async def test_what_is_not_so_is_told(tmp_path: Path, expect: str, expected: str, seen: str) -> None:
    outcome = await played(tmp_path, f"{HEAD}  - expect: {{{expect}}}\n")

    assert outcome.status is Status.FAILED
    assert expected in outcome.expected
    assert seen in outcome.seen
