"""A token that is not what the log says."""

from pathlib import Path

import pytest

from postroom.domain.token import Scope, TokenKind
from postroom.observe.doctor import examine, repair
from postroom.testing.world import World
from tests.acceptance.damage import codes, sql

DAMAGES = {
    "a scope was widened": "UPDATE token SET scope = 'admin' WHERE name = 'ci'",
    "an end was put off": "UPDATE token SET expires_us = NULL",
    "a revoked one opens again": "UPDATE token SET revoked_us = NULL",
    "the cookie of a login became a token": "UPDATE token SET kind = 'program'",
}
PLANTED = """INSERT INTO token (id, public_id, kind, name, scope, hash, created_us)
    VALUES (99, 'x', 'program', 'planted', 'admin', 'abc', 1)"""


async def token_store(world: World) -> Path:
    """Three tokens, one of them revoked."""
    world.puppet("r")
    room = await world.open()
    end_us = world.clock.now_us() + 1_000_000
    await room.add_token("ci", Scope.READ, expires_us=end_us)
    await room.add_token("page", Scope.READ, kind=TokenKind.PAGE, expires_us=end_us)
    gone = await room.add_token("gone", Scope.ADMIN)
    await room.revoke_token(gone.token.token_id)
    await world.close()
    return world.folder


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
async def test_a_token_that_differs_from_its_log_is_mended_once(world: World, damage: str) -> None:
    """G12"""
    folder = await token_store(world)
    assert examine(folder).findings == ()
    sql(folder, damage)

    seen = codes(examine(folder))
    mended = repair(folder)

    assert seen == {("row_differs", "token")}
    assert mended.ok, list(mended.lines())
    assert repair(folder).mended == ()
    await world.check()


async def test_a_token_that_nobody_handed_out_is_taken_away(world: World) -> None:
    folder = await token_store(world)
    sql(folder, PLANTED)

    seen = codes(examine(folder))
    mended = repair(folder)

    assert seen == {("row_unknown", "token")}
    assert mended.ok, list(mended.lines())
    names = [token.name for token in await (await world.open()).tokens()]
    assert names == ["page", "ci"]
    await world.check()


async def test_a_token_that_is_gone_is_said_and_stays_gone(world: World) -> None:
    """Neither its name nor its hash is in the log."""
    folder = await token_store(world)
    sql(folder, "DELETE FROM token WHERE name = 'ci'")

    assert codes(examine(folder)) == {("row_missing", "token")}
    assert codes(repair(folder)) == {("row_missing", "token")}
