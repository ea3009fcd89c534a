"""A scene in which tokens of the API are handed out, used and taken back while an agent works."""

from postroom.app import Postroom
from postroom.domain.token import Scope, TokenKind
from postroom.testing.crash import Journal, Person, Scenario
from postroom.testing.script import say
from tests.fault.teams import agent, plays, team


def handing_out(journal: Journal) -> Scenario:
    """One token is used, and one that nobody needs is taken back."""

    async def drive(person: Person) -> None:
        room = person.room
        root = (await person.say("start", "Hello.")).session_id
        await _use_one(room)
        await person.once("revoke", lambda: _take_one_back(room))
        await person.settle(root)

    return Scenario(team=team(agent("lead")), models={"scripted:lead": plays(say("Hello."))}, drive=drive)


async def _use_one(room: Postroom) -> None:
    """Until it is written down that it was used."""
    new = await room.add_token("ci", Scope.READ)
    assert await room.token_of(new.secret, TokenKind.PROGRAM) is not None
    while not any(token.last_used_us for token in await room.tokens()):
        pass


async def _take_one_back(room: Postroom) -> None:
    """Whichever life has handed it out."""
    new = await room.add_token("spare", Scope.ADMIN)
    await room.revoke_token(new.token.token_id)
    assert await room.token_of(new.secret, TokenKind.PROGRAM) is None
