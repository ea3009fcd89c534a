"""The commands with which the person decides what agents ask, and says what they may do."""

from collections.abc import Sequence
from typing import Final

from postroom.frontends.cli.command import RUN, SESSION, TOOLS, Argument, Command

_ASK: Final = Argument(name="ask", shown="ASK", meaning="its id, or 8 or more of its last characters")
_MODES: Final = ("auto_approve", "auto_approve_n", "auto_approve_y", "ask", "yolo")
_FULL: Final = Argument(name="--full", kind="flag", meaning="the whole text of each, line by line")
NEW_SESSION: Final = (
    Argument(
        name="--mode", shown="MODE", choices=_MODES,
        meaning="who decides what agents ask for; for a new conversation",
    ),
    Argument(
        name="--attended", kind="flag",
        meaning="you are there to answer from now on (else a new conversation is so when the input is a "
        "terminal)",
    ),
    Argument(
        name="--unattended", kind="flag",
        meaning="nobody is there from now on: questions are refused, and open ones withdrawn",
    ),
)  # fmt: skip
"""How a conversation begins, or is gone on with."""

PERSON_COMMANDS: Final[Sequence[Command]] = (
    Command(
        name="asks", does="list what agents ask you for", run="asking:asks",
        arguments=(
            Argument(name="session", shown="AGENT", meaning="only its tree", optional=True), _FULL,
        ),
    ),
    Command(
        name="questions", does="list what agents ask you, without what they ask leave for",
        run="asking:questions",
        arguments=(
            Argument(name="session", shown="AGENT", meaning="only its tree", optional=True), _FULL,
        ),
    ),
    Command(
        name="approve", does="let an agent do what it asks leave for", run="asking:approve",
        arguments=(
            _ASK,
            Argument(
                name="--for", shown="SCOPE", choices=("once", "tree"), default="once",
                meaning="this call alone, or this kind of deed by all agents of its tree",
            ),
            RUN, TOOLS,
        ),
    ),
    Command(
        name="deny", does="refuse what an agent asks leave for", run="asking:deny",
        arguments=(
            _ASK,
            Argument(name="--reason", shown="TEXT", meaning="what the agent reads", default=""),
            RUN, TOOLS,
        ),
    ),
    Command(
        name="answer", does="answer a question of an agent", run="asking:answer",
        arguments=(
            Argument(name="question", shown="QUESTION", meaning=_ASK.meaning),
            Argument(
                name="text", shown="TEXT",
                meaning="the answer; where options are offered, one of them or its number; - reads it from "
                "standard input",
            ),
            RUN, TOOLS,
        ),
        more="Only this answers a question: what you write to the agent is mail.",
    ),
    Command(
        name="goal", does="set an agent out to do something, until all of its list is done",
        run="goal:goal",
        arguments=(
            Argument(
                name="do", shown="DO", choices=("set", "pause", "resume", "cancel", "show"),
                meaning="what to do with the goal",
            ),
            SESSION,
            Argument(
                name="text", shown="TEXT", optional=True,
                meaning="the goal, to set it; - reads it from standard input",
            ),
            RUN, TOOLS,
        ),
        more="An agent that stops before all is done is reminded, three times while its list stays the same.",
    ),
    Command(
        name="mode", does="say who decides what the agents of a tree ask leave for", run="rights:mode",
        arguments=(
            SESSION,
            Argument(name="mode", shown="MODE", choices=_MODES, meaning="the new one", optional=True),
        ),
        more="ask: you; yolo: all is approved; auto_approve: a model, and you where it does not approve "
        "(_n: denied there, _y: approved once). What is open already stays with you.",
    ),
    Command(
        name="permissions", does="show or change your rules over a tree", run="rights:permissions",
        arguments=(
            SESSION,
            Argument(
                name="do", shown="DO", choices=("set", "unset", "clear"), optional=True,
                meaning="one rule, or all of them (else show them)",
            ),
            Argument(
                name="action", shown="ACTION", optional=True,
                choices=("message", "delegate", "read", "write", "shell", "mcp"), meaning="what is done",
            ),
            Argument(
                name="pattern", shown="PATTERN", optional=True, meaning="to what it is done; * is any text"
            ),
            Argument(
                name="effect", shown="EFFECT", choices=("allow", "ask", "deny"), optional=True,
                meaning="what the rule says",
            ),
        ),
        more="They narrow what profiles allow and never widen it.",
    ),
)  # fmt: skip
