"""Figures for Prometheus, at the root, where its servers look for them."""

from fastapi import APIRouter, Response

from postroom.daemon.api.guard import Read
from postroom.daemon.metrics import CONTENT_TYPE

metrics_router = APIRouter(tags=["metrics"])


@metrics_router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(house: Read) -> Response:
    """Counters since the daemon was started, and how much waits now. What it costs never grows."""
    told = await house.metrics.scrape(
        n_streams=house.streams.n_readers, paused=bool(house.life.paused_by), started_us=house.life.started_us
    )
    return Response(told, media_type=CONTENT_TYPE)
