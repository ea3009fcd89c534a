"""Every verb of the language and the function that does it."""

from collections.abc import Mapping
from typing import Final

from postroom.testing.scenario.play import Verb
from postroom.testing.scenario.verbs import (
    control,
    paths,
    person,
    process,
    several,
    shelf,
    store,
    stream,
    talk,
)

VERBS: Final[Mapping[str, Verb]] = {
    "prompt": talk.prompt,
    "type": talk.type_text,
    "send_as_user": talk.send_as_user,
    "open": control.open_gates,
    "shut": control.shut_gates,
    "stop": control.stop,
    "cancel": control.cancel,
    "resume": control.resume,
    "retry": control.retry,
    "approve": person.approve,
    "deny": person.deny,
    "answer": person.answer,
    "mode": person.mode,
    "goal": person.goal,
    "move_goal": person.move_goal,
    "fork": paths.fork,
    "revert": paths.revert,
    "archive": shelf.archive,
    "delete": shelf.delete,
    "rename": shelf.rename,
    "compact": paths.compact,
    "overlay": person.overlay,
    "kill9": process.kill9,
    "boot": process.boot,
    "freeze": process.freeze,
    "thaw": process.thaw,
    "second_process": process.second_process,
    "lock_store": store.lock_store,
    "tear_store": store.tear_store,
    "advance": control.advance,
    "set_wall_clock": control.set_wall_clock,
    "connect": stream.connect,
    "drop": stream.drop,
    "wait_for": control.wait_for,
    "quiesce": control.quiesce,
    "expect": control.expect,
    "repeat": several.repeat,
    "together": several.together,
}
"""A verb that is in the language and not here belongs to a feature that is not built (`file.NOT_BUILT`)."""
