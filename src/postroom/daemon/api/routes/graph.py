"""The conversations of a session as a graph. They are encoded where they are read, away from the loop."""

from typing import Annotated, Final, TypeAlias

from fastapi import APIRouter, Query, Response
from pydantic import Field

from postroom.daemon.api.given import US_MAX, Name, NodeKey, Reference
from postroom.daemon.api.guard import Read
from postroom.observe.graph import Asked, graph_json
from postroom.observe.graph_node import node as look_up
from postroom.observe.graph_views import GraphView, NodeView

router = APIRouter(tags=["graph"])
OPENED_MAX: Final = 8
UNFOLDED_MAX: Final = 32
SomeNode: TypeAlias = Annotated[int, Field(ge=0, le=US_MAX)]
OnBranch: TypeAlias = Annotated[Name, Query()]


@router.get("/sessions/{session}/graph", response_model=GraphView)
async def graph(
    house: Read,
    session: Reference,
    branch: OnBranch = "",
    opened: Annotated[list[SomeNode] | None, Query(max_length=OPENED_MAX)] = None,
    unfolded: Annotated[list[SomeNode] | None, Query(max_length=UNFOLDED_MAX)] = None,
) -> Response:
    """The graph of a session with one branch in the foreground; of a long one its ends and its forks.

    `opened` names stretches by their first node, `unfolded` nodes whose calls are drawn.
    """
    asked = Asked(branch_id=branch, opened=tuple(opened or ()), unfolded=tuple(unfolded or ()))
    body = await house.room.store.read(graph_json, session, asked)
    return Response(body, media_type="application/json")


@router.get("/nodes/{node}")
async def node(house: Read, node: NodeKey, branch: OnBranch = "") -> NodeView:
    """One node of a graph in full, as it stands on the path of a branch."""
    return await house.room.store.read(look_up, node, branch)
