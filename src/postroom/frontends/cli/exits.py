"""What the exit code says."""

from typing import ClassVar, Final

from postroom.errors import Fault

DONE: Final = 0
TASK_FAILED: Final = 1
USAGE: Final = 2
CONFIG: Final = 3
STORE_IN_USE: Final = 4
REFUSED: Final = 5
PROVIDER: Final = 6
QUESTION_OPEN: Final = 7
BUDGET_SPENT: Final = 8
INTERRUPTED: Final = 130

EXITS: Final = {
    DONE: "done",
    TASK_FAILED: "the task failed, or something else did",
    USAGE: "the command line is wrong",
    CONFIG: "the configuration is wrong, or the store cannot be opened",
    STORE_IN_USE: "another process runs the store",
    REFUSED: "refused: the rules said no, or nothing has this name",
    PROVIDER: "the provider failed",
    QUESTION_OPEN: "only a question is left, and nobody is there; the last line says how to answer it",
    BUDGET_SPENT: "the budget of the task is spent; what was done until then is kept",
    INTERRUPTED: "interrupted; the last line says how to go on",
}

_CONFIG_CODES: Final = frozenset((
    "config_invalid", "missing_key", "missing_extra", "store_missing", "store_newer", "store_corrupt",
    "store_read_only", "port_taken",
))  # fmt: skip
_REFUSED_CODES: Final = frozenset(("not_found", "file_exists", "invalid_query"))
_PROVIDER_CODES: Final = frozenset((
    "model_failed", "model_unavailable", "model_overloaded", "model_rate_limited", "model_silent",
    "model_invalid_request", "model_auth", "model_quota", "answer_cut", "answer_filtered", "answer_refused",
))  # fmt: skip


class Interrupted(Fault):
    """Ctrl-C. What ran was ended cleanly; nothing is lost."""

    code = "interrupted"
    exit_code: ClassVar[int] = INTERRUPTED


class QuestionOpen(Fault):
    """Nothing but a question of an agent keeps a command from ending, and nobody is there to answer.

    The question stays open. Answer it from anywhere, or say `--unattended`.
    """

    code = "question_open"


def exit_code_of(code: str) -> int:
    """The exit code of a fault or refusal by its stable code."""
    if code == QuestionOpen.code:
        return QUESTION_OPEN
    if code == "store_in_use":
        return STORE_IN_USE
    if code == "chain_spent":
        return BUDGET_SPENT
    if code in _CONFIG_CODES:
        return CONFIG
    if code in _PROVIDER_CODES:
        return PROVIDER
    return REFUSED if code in _REFUSED_CODES or _is_refusal(code) else TASK_FAILED


def _is_refusal(code: str) -> bool:
    from postroom.domain.receipt import Code  # noqa: PLC0415 - only a failure asks

    return code in set(Code)
