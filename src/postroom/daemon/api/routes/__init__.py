"""The endpoints, one file for each noun. Each is a few lines: what to ask the room, and what comes back."""

from fastapi import APIRouter

from postroom.daemon.api.routes import agents, board, events, health, log, messages, why

ROUTERS: tuple[APIRouter, ...] = (
    agents.router,
    board.router,
    events.router,
    health.router,
    log.router,
    messages.router,
    why.router,
)
