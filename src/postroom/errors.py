"""Faults: the world failed. Each class says when it happens and what the caller can do.

A *refusal* (the rules said no) is a value, see `postroom.domain.receipt`; only the Python API
turns one into the exception `Refused`, because a person's program expects that.
"""

import errno
from collections.abc import Mapping
from typing import ClassVar, Final

_NO_ROOM: Final = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))


class Fault(Exception):
    """Base of everything Postroom raises. `code` is stable, `remedy` says what would be right."""

    code: ClassVar[str] = "fault"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        """One line: code, cause and remedy."""
        tail = f" ({self.remedy})" if self.remedy else ""
        return f"{self.code}: {self.message}{tail}"


class ConfigFault(Fault):
    """A profile, team folder or setting is wrong. Mend the file that the message names."""

    code = "config_invalid"


class BadFolder(Fault):
    """A new session was to work in a directory that is not there, not absolute, or called otherwise.

    Name an existing one by its whole real path; nothing was done.
    """

    code = "bad_folder"


class MissingKey(ConfigFault):
    """A model needs a key that the environment does not hold. Set it and start again."""

    code = "missing_key"


class MissingExtra(ConfigFault):
    """A model needs an extra that is not installed. Install `postroom[NAME]`."""

    code = "missing_extra"


class StoreFault(Fault):
    """The store could not do what was asked. Nothing of the failed write is left behind."""

    code = "store_failed"


class StoreInUse(StoreFault):
    """Another process runs this store. Talk to it, or stop it first."""

    code = "store_in_use"


class StoreMissing(StoreFault):
    """There is no store where one was looked for. Name another folder; nothing was made."""

    code = "store_missing"


class StoreNewer(StoreFault):
    """The database was written by a newer Postroom. Upgrade this one; nothing was touched."""

    code = "store_newer"


class StoreReadOnly(StoreFault):
    """The disk or the file cannot be written. Turns pause until it can."""

    code = "store_read_only"
    retryable = True


class StoreFull(StoreFault):
    """The disk is full. Nothing half-written stays; turns pause and go on when there is room."""

    code = "store_full"
    retryable = True


def unwritable(cause: OSError, what: str, *, remedy: str) -> StoreFault:
    """The fault of a file that could not be written: no room for it, or no right to."""
    message = f"{what}: {cause.strerror or cause}"
    if cause.errno in _NO_ROOM:
        return StoreFull(message, remedy="make room on the disk, or choose another store with --store")
    return StoreReadOnly(message, remedy=remedy)


class StoreBusy(StoreFault):
    """Another connection held the write lock too long. Trying again is safe."""

    code = "store_busy"
    retryable = True


class TakeFailed(StoreFault):
    """What waits for an agent cannot be read. It waits on, and its turn does not end without it."""

    code = "take_failed"
    retryable = True


class StoreCorrupt(StoreFault):
    """The file is not a Postroom database, or SQLite finds it damaged. Run `postroom doctor`."""

    code = "store_corrupt"


class PredecessorMissing(StoreFault):
    """A node would follow nothing and begin no branch: a fault of this program. Nothing was written."""

    code = "predecessor_missing"


class BrokenPredecessorChain(StoreFault):
    """A conversation ends at a node whose predecessor is not there. Restore a backup; nothing is repaired."""

    code = "broken_predecessor_chain"


class StoreClosed(StoreFault):
    """The store was closed while the call was on its way. Nothing was written."""

    code = "store_closed"


class StaleFence(StoreFault):
    """The turn that writes no longer owns its branch. What it wanted to write was dropped."""

    code = "stale_fence"


class IllegalMove(StoreFault):
    """A delivery, turn or task was asked to make a move its life does not have: a bug."""

    code = "illegal_move"


class FileFailed(Fault):
    """A file that a command was given cannot be read or written. Name another; nothing was changed."""

    code = "file_failed"


class FileExists(Fault):
    """Something is there already where a command would write. Name another place, or say `--force`."""

    code = "file_exists"


class ModelFault(Fault):
    """A model call failed for good. The turn ends; its mail is released and parked."""

    code = "model_failed"


class ModelUnavailable(ModelFault):
    """A lost connection or a failing server: tried again with back-off inside the turn."""

    code = "model_unavailable"
    retryable = True

    def __init__(self, message: str, *, remedy: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.retry_after_s = retry_after_s


class ModelOverloaded(ModelUnavailable):
    """The provider has more to do than it can: tried again with back-off inside the turn."""

    code = "model_overloaded"


class ModelRateLimited(ModelUnavailable):
    """The account asked too often: tried again inside the turn, not sooner than the provider says."""

    code = "model_rate_limited"


class ModelSilent(ModelUnavailable):
    """The provider said nothing for as long as it may (`model.idle_s`): tried again inside the turn."""

    code = "model_silent"


class ModelRefusedRequest(ModelFault):
    """The provider says that the request is wrong. Trying it again would not help."""

    code = "model_invalid_request"


class ModelAuth(ModelFault):
    """The provider does not accept the key, or the key may not use this model."""

    code = "model_auth"


class ModelQuota(ModelFault):
    """The provider's account has nothing left to spend. Waiting would not help; see to the account."""

    code = "model_quota"


class ContextTooLong(ModelFault):
    """The request does not fit the model's window."""

    code = "context_too_long"


class SummaryFailed(ModelFault):
    """No summary came of a conversation that was to be summed up. It stays as it was; ask again."""

    code = "summary_failed"


class AnswerCut(ModelFault):
    """The answer was cut by its length limit inside a tool call. Raise `max_tokens`."""

    code = "answer_cut"


class AnswerFiltered(ModelFault):
    """The provider's content filter withheld the answer, or the request that it should answer."""

    code = "answer_filtered"


class AnswerRefused(ModelFault):
    """The model itself refused to answer. Ask for something else, or ask another model."""

    code = "answer_refused"


class ScriptEnded(ModelFault):
    """A `scripted:` model was asked for more rounds than its script has."""

    code = "script_ended"


class RoomClosed(Fault):
    """The room is closing or closed. Open it again."""

    code = "engine_shutdown"
    retryable = True


class NotFound(Fault):
    """No session, message or task has this id."""

    code = "not_found"


class Refused(Fault):
    """The Python API's form of a refusal; `refusal_code` carries the stable code."""

    code = "refused"

    def __init__(
        self, refusal_code: str, message: str, *, facts: Mapping[str, str | int] | None = None
    ) -> None:
        """`facts` say more than the code where there is more: how an ask was decided, and by whom."""
        super().__init__(f"{refusal_code}: {message}" if message else refusal_code)
        self.refusal_code = refusal_code
        self.facts: Mapping[str, str | int] = facts or {}
