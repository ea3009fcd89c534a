"""Every command as data: its arguments, one sentence each, and where its code is.

The parser, the help and the reference page are made of this table.
"""

from collections.abc import Sequence
from typing import Final

from postroom.frontends.cli.command import AGENT, RUN, SESSION, TOOLS, Argument, Command
from postroom.frontends.cli.daemon_commands import DAEMON_COMMANDS
from postroom.frontends.cli.person_commands import NEW_SESSION, PERSON_COMMANDS

__all__ = ["COMMANDS", "EVERYWHERE", "Argument", "Command", "find_command"]

EVERYWHERE: Final = (
    Argument(
        name="--store", shown="DIR",
        meaning="the store's folder (else POSTROOM_STORE, the person's config, the platform's data folder)",
    ),
    Argument(name="--json", kind="flag", meaning="print JSON: one document, or one a line"),
    Argument(name="--verbose", kind="flag", meaning="print the process's own log to standard error too"),
)  # fmt: skip
"""What every command takes."""

_BACK_TO: Final = Argument(
    name="--to",
    shown="PLACE",
    meaning="the last item to keep: its number (0 keeps none), or a turn's or message's id",
)
_FORK_TO: Final = _BACK_TO._replace(
    meaning=f"{_BACK_TO.meaning}; or BRANCH[:PLACE], of a part that was taken back"
)

COMMANDS: Final[Sequence[Command]] = (
    Command(
        name="init", does="write a team folder that works at once", run="folders:init",
        arguments=(
            Argument(name="dir", shown="DIR", meaning="a new folder", default=".", optional=True),
            Argument(name="--example", shown="NAME", meaning="which of the shipped teams", default="duo"),
        ),
    ),
    Command(
        name="check", does="say everything that is wrong with a team folder; start nothing",
        run="folders:check",
        arguments=(
            Argument(name="dir", shown="DIR", meaning="the team folder", default=".", optional=True),
            TOOLS,
        ),
    ),
    Command(
        name="demo", does="run the demo team: no key, no network", run="demo:demo",
        arguments=(
            Argument(name="--fast", kind="flag", meaning="do not wait for people who watch"),
            Argument(
                name="--model", shown="MODEL", choices=("scripted", "local"), default="scripted",
                meaning="who plays the workers; local is a real small model, from the extra `local`",
            ),
        ),
        more="It keeps its store, so that you can look at it: the last lines say where.",
    ),
    Command(
        name="run", does="give a team a task and wait for the answer", run="run:run",
        arguments=(
            Argument(name="task", shown="TASK", meaning="what to do; - reads it from standard input"),
            Argument(name="--team", shown="DIR", meaning="the team folder (else the working directory)"),
            Argument(name="--session", shown="AGENT", meaning="go on with this conversation"),
            Argument(name="--profile", shown="NAME", meaning="the agent that gets the task, if not `entry`"),
            Argument(name="--client-id", shown="ID", meaning="saying it again with this id is harmless"),
            Argument(
                name="--max-tokens", kind="integer", shown="N",
                meaning="what all agents together may spend on it (else budget.max_tokens); 0 is no limit",
            ),
            Argument(
                name="--max-cost", shown="USD",
                meaning="the same in dollars, such as 0.50 (else budget.max_cost_usd); 0 is no limit",
            ),
            *NEW_SESSION, TOOLS,
        ),
        more="Prints the agents' work to a terminal; anywhere else the final text and nothing more. "
        "What agents ask for is decided from another terminal.",
    ),
    Command(
        name="chat", does="talk to an agent in the terminal", run="chat:chat",
        arguments=(
            Argument(
                name="agent", shown="PROFILE", meaning="the agent of the team to talk to, if not `entry`",
                optional=True,
            ),
            Argument(name="--team", shown="DIR", meaning="the team folder (else the working directory)"),
            Argument(name="--session", shown="AGENT", meaning="go on with this conversation"),
            *NEW_SESSION, TOOLS,
        ),
        more="What you type while agents work joins their turn; a line that begins with / is a command, see "
        "/help. Ctrl-C stops them, a second one or Ctrl-D leaves.",
    ),
    *DAEMON_COMMANDS,
    Command(
        name="send", does="write to an agent, running or not", run="control:send",
        arguments=(
            Argument(name="to", shown="TO", meaning=AGENT),
            Argument(name="body", shown="BODY", meaning="the text; - reads it from standard input"),
            Argument(
                name="--mode", shown="MODE", choices=("steer", "queue"), default="steer",
                meaning="steer joins the running turn or wakes the agent, queue opens a later turn",
            ),
            Argument(name="--client-id", shown="ID", meaning="sending again with this id is harmless"),
            Argument(
                name="--at", shown="TIME",
                meaning="say it later: +10m, 18:30, or a date and time with zone (2026-12-01T09:00+01:00)",
            ),
            RUN, TOOLS,
        ),
        more="A text for later is kept in the store, and said by the process that runs it then.",
    ),
    Command(
        name="timers", does="list the texts that wait for their time", run="later:timers",
        arguments=(Argument(name="--cancel", shown="ID", meaning="take this one back"),),
    ),
    Command(
        name="ps", does="list the agents, what they do and what waits for them", run="ps:ps",
        arguments=(
            Argument(name="session", shown="AGENT", meaning="only its tree", optional=True),
        ),
    ),
    Command(
        name="agents", does="list the agents of a session, with what they last said", run="lists:agents",
        arguments=(
            Argument(name="session", shown="AGENT", meaning="of this session (else the last active one)",
                     optional=True),
            Argument(name="--all", kind="flag", meaning="of the last active sessions"),
            Argument(name="--archived", kind="flag", meaning="those that were archived or merged"),
        ),
    ),
    Command(
        name="tasks", does="list the tasks that agents have handed out, newest first", run="lists:tasks",
        arguments=(
            Argument(
                name="session", shown="AGENT", meaning="only of its session; or SESSION:AGENT, of one agent",
                optional=True,
            ),
            Argument(name="--limit", kind="integer", shown="N", default=50, meaning="at most so many"),
        ),
    ),
    Command(
        name="todo", does="show the board on which the agents of a session plan", run="lists:todo",
        arguments=(
            Argument(name="session", shown="AGENT", meaning="of this session (else the last active one)",
                     optional=True),
        ),
        more="Nothing ever runs because an entry stands there.",
    ),
    Command(
        name="log", does="print the log: everything that has happened", run="look:log",
        arguments=(
            Argument(name="session", shown="AGENT", meaning="only its own log", optional=True),
            Argument(
                name="--from", kind="integer", shown="POS", default=0,
                meaning="only what lies behind this position (with AGENT: behind this number of its log)",
            ),
            Argument(name="--limit", kind="integer", shown="N", meaning="at most so many events"),
        ),
    ),
    Command(
        name="tail", does="print what happens, while it happens", run="look:tail",
        arguments=(
            Argument(
                name="--from", kind="integer", shown="POS",
                meaning="begin behind this position (else 10 events back)",
            ),
        ),
        more="Ends when no process runs the store.",
    ),
    Command(
        name="show", does="show a conversation and its mail, or one message", run="look:show",
        arguments=(
            Argument(name="reference", shown="ID", meaning="an agent, or the id of a message or a task"),
        ),
    ),
    Command(
        name="why", does="say why something happened, and what came of it", run="look:why",
        arguments=(
            Argument(
                name="reference", shown="ID",
                meaning="a message, task, turn, call or ask by its id, or an agent: its newest turn",
            ),
        ),
        more="Every id that it prints is taken again, so that one can go on from there.",
    ),
    Command(
        name="search", does="find texts in mail, answers and results of tools", run="finding:search",
        arguments=(
            Argument(
                name="words", kind="words", shown="WORD",
                meaning='all must be in the text; "two words" stand together, begin* is a beginning',
            ),
            Argument(name="--session", shown="AGENT", meaning="only its tree"),
            Argument(name="--limit", kind="integer", shown="N", default=20, meaning="at most so many"),
        ),
    ),
    Command(
        name="spend", does="say what answers have cost", run="spending:spend",
        arguments=(
            Argument(
                name="--by", shown="WHAT", choices=("agent", "chain", "day"), default="agent",
                meaning="a line for each",
            ),
            Argument(name="--session", shown="AGENT", meaning="only its tree"),
            Argument(name="--limit", kind="integer", shown="N", default=50, meaning="at most so many lines"),
        ),
        more=(
            "Prices are those of the providers' lists; a request without one is counted at nothing. "
            "A side call, as to the model that decides on a call, is no round; what it costs is counted."
        ),
    ),
    *PERSON_COMMANDS,
    Command(
        name="stop", does="pause an agent and everything below it", run="control:stop", arguments=(SESSION,),
        more="Nothing below it runs again until you write to it or resume it.",
    ),
    Command(
        name="cancel", does="end an agent's turn or task; pauses nothing", run="control:cancel",
        arguments=(SESSION,),
    ),
    Command(
        name="resume", does="lift a pause, read parked mail, or go on from an interrupted turn",
        run="control:resume", arguments=(SESSION, RUN, TOOLS),
    ),
    Command(
        name="retry", does="accept a message again that was set aside", run="control:retry",
        arguments=(Argument(name="message", shown="MESSAGE", meaning="its id"), RUN, TOOLS),
    ),
    Command(
        name="recall", does="take back a message that nobody has read", run="control:recall",
        arguments=(Argument(name="message", shown="MESSAGE", meaning="its id"),),
        more="The agent that wrote it is told. A task is not recalled but cancelled.",
    ),
    Command(
        name="fork", does="begin a new conversation where an agent stands, or stood", run="paths:fork",
        arguments=(
            SESSION, _FORK_TO, Argument(name="--dry-run", kind="flag", meaning="only list the places"),
        ),
        more="It shares what was said up to there; mail, tasks, asks, goals and children stay with the old "
        "one. It runs nothing before you write to it.",
    ),
    Command(
        name="revert", does="take an agent back to where its conversation stood", run="paths:revert",
        arguments=(
            SESSION, _BACK_TO,
            Argument(name="--keep-tasks", kind="flag", meaning="tasks that it gave since then go on"),
            Argument(
                name="--dry-run", kind="flag",
                meaning="only say what would be done; without --to list the places",
            ),
        ),
        more="What is taken back is kept and can be forked. Mail is not undone, and neither is what tools "
        "did. Write to the agent then to go on in another way.",
    ),
    Command(
        name="compact", does="have the beginning of an agent's conversation summed up", run="paths:compact",
        arguments=(SESSION,),
        more="Its last two turns stay as they are, and nothing is deleted. The agent must be idle; mail that "
        "comes meanwhile is read afterwards.",
    ),
    Command(
        name="archive", does="retire an agent for good; it stays readable", run="shelf:archive",
        arguments=(
            SESSION,
            Argument(name="--agent", shown="NAME", meaning="one of several of the session, by name or id"),
            Argument(name="--reason", shown="TEXT", meaning="why, for the record", default=""),
        ),
        more="What waits unread there is discarded, and whoever wrote it is told. A turn that runs goes on "
        "to its end.",
    ),
    Command(
        name="rename", does="give an agent a name that no model changes", run="shelf:rename",
        arguments=(
            Argument(name="agent", shown="AGENT", meaning=AGENT),
            Argument(name="name", shown="NAME", meaning="the new name, at most 64 characters"),
        ),
    ),
    Command(
        name="retitle", does="give a session another title than its first words", run="shelf:retitle",
        arguments=(SESSION, Argument(name="title", shown="TITLE", meaning="a line of at most 80 characters")),
    ),
    Command(
        name="delete", does="delete a session and its texts for good", run="shelf:delete",
        arguments=(
            Argument(name="session", shown="SESSION", meaning="its id or handle"),
            Argument(name="--yes", kind="flag", meaning="do not ask again"),
        ),
        more="No turn of it may run or wait. What a fork of it begins with stays until the fork is deleted.",
    ),
    Command(
        name="prune", does="remove the texts of conversations that are over", run="retention:prune",
        arguments=(
            Argument(
                name="--older-than", shown="TIME",
                meaning="for how long nothing has happened there: 30d, 12h, 1d12h",
            ),
            Argument(name="--dry-run", kind="flag", meaning="only say what would go"),
            Argument(name="--yes", kind="flag", meaning="do not ask again"),
        ),
        more="Over is a conversation in whose tree no turn runs or waits, nothing is unread and nothing is "
        "due. It stays readable without its texts, and takes nothing new. Who wrote to whom when stays, with "
        "sizes and hashes.",
    ),
    Command(
        name="token", does="hand out tokens for the daemon's API, list them, take them back",
        run="tokens:token",
        arguments=(
            Argument(name="do", shown="DO", choices=("add", "list", "revoke"), meaning="what to do"),
            Argument(
                name="what", shown="WHAT", optional=True,
                meaning="to add: a name for your own list; to revoke: the token's id",
            ),
            Argument(
                name="--scope", shown="SCOPE", choices=("read", "operate", "admin"),
                meaning="what a new one may do: see; also speak, steer and decide; also delete and hand out",
            ),
            Argument(
                name="--expires", shown="TIME",
                meaning="when a new one ends by itself: 30d, 12h, or a date and time with zone",
            ),
        ),
        more="A token is printed once, when it is added; the store keeps no more than its hash.",
    ),
    Command(
        name="doctor", does="compare the log with the tables", run="folders:doctor",
        arguments=(
            Argument(name="--repair", kind="flag", meaning="make a backup, then mend what differs"),
        ),
    ),
    Command(
        name="export", does="write conversations as a page for people or as JSON lines", run="export:export",
        arguments=(
            Argument(
                name="session", shown="AGENT", optional=True,
                meaning="only its tree; also `latest`, or 6 or more last characters of a session's id",
            ),
            Argument(
                name="--format", shown="FORMAT", choices=("md", "jsonl"),
                meaning="Markdown, or one JSON object a line (else as FILE ends, jsonl with --json, md)",
            ),
            Argument(name="--full", kind="flag", meaning="every body, argument and event, nothing shortened"),
            Argument(name="--output", shown="FILE", meaning="write to this file, replacing it (else print)"),
        ),
        more="It reads one snapshot, also beside a process that runs the store; always UTF-8.",
    ),
    Command(
        name="backup", does="copy the store into one file, also while a process runs it", run="keep:backup",
        arguments=(
            Argument(name="file", shown="FILE", meaning="the new file"),
            Argument(name="--force", kind="flag", meaning="replace the file if it is there"),
        ),
        more="The copy is checked before it gets its name.",
    ),
    Command(
        name="restore", does="make the store from a backup", run="keep:restore",
        arguments=(
            Argument(name="file", shown="FILE", meaning="a backup"),
            Argument(
                name="--force", kind="flag", meaning="set the store that is there aside, under `backups`"
            ),
        ),
        more="Turns that ran when the backup was made are recovered as after a crash.",
    ),
    Command(
        name="scenario", does="play scenario files: tests of a team without a model",
        run="scenario:scenario",
        arguments=(
            Argument(name="do", shown="run", meaning="what to do with them", choices=("run",)),
            Argument(name="files", kind="words", shown="FILE", meaning="scenario files, in YAML"),
            Argument(
                name="--policy", kind="texts", shown="NAME",
                meaning="only this policy of those that the files name; may be repeated",
            ),
            Argument(name="--keep", shown="DIR", meaning="keep the stores and the requests in here"),
            Argument(name="--strict", kind="flag", meaning="what is not available counts as failed"),
        ),
        more="Exit code 0: all passed; 1: one failed; 2: a file is wrong.",
    ),
    Command(
        name="config", does="show your settings, or change them in your own file", run="settings:config",
        arguments=(
            Argument(
                name="action", shown="ACTION", choices=("get", "set", "unset", "list"), meaning="what to do"
            ),
            Argument(name="key", shown="KEY", meaning="such as model.name (else all)", optional=True),
            Argument(name="value", shown="VALUE", meaning="what to set it to", optional=True),
        ),
        more="A key for a provider is no setting: name a file that holds it, or set its variable.",
    ),
    Command(name="version", does="print the version", run="folders:version"),
)  # fmt: skip
"""In the order in which a newcomer needs them."""


def find_command(name: str) -> Command:
    """The command of that name; the parser has checked that there is one."""
    return next(command for command in COMMANDS if command.name == name)
