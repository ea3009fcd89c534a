"""What answers have cost, and what may still be spent."""

from fastapi import APIRouter

from postroom.daemon.api.given import LISTED, Key, Limit, SomeAgent
from postroom.daemon.api.guard import Read
from postroom.observe.budgets import BudgetPage, budget_page
from postroom.observe.spend import By, SpendView

router = APIRouter(tags=["spend"])


@router.get("/spend")
async def spend(
    house: Read, by: By = "agent", session: SomeAgent = None, limit: Limit = LISTED
) -> list[SpendView]:
    """A line for each agent, chain or UTC day, newest first; of a session's tree or of the store."""
    return await house.room.spend(by, session=session, limit=limit)


@router.get("/budgets")
async def budgets(
    house: Read, session: SomeAgent = None, before: Key = None, limit: Limit = LISTED
) -> BudgetPage:
    """Chains with what they have spent, may spend and have left, newest first.

    A chain is all that grows out of one text of the person. `before` is the `next` of the page before.
    """
    root = await house.room.root_of(session)
    return await house.room.store.read(budget_page, root, before, limit)
