"""The application: every router, every way to fail, and the page. Building it opens nothing."""

from fastapi import FastAPI

from postroom import __version__
from postroom.daemon.api.faults import Problem, tell_failures
from postroom.daemon.api.house import House
from postroom.daemon.api.page import Page
from postroom.daemon.api.routes import ROUTERS
from postroom.daemon.api.routes.login import page_router
from postroom.daemon.api.routes.metrics import metrics_router
from postroom.daemon.protocol import PREFIX


def make_app(house: House | None = None) -> FastAPI:
    """The application over a house. Without one it is only good for its OpenAPI document."""
    app = FastAPI(
        title="Postroom", version=__version__, docs_url=None, redoc_url=None,
        openapi_url=f"{PREFIX}/openapi.json", responses={"4XX": {"model": Problem}},
        generate_unique_id_function=lambda route: route.name, redirect_slashes=False,
    )  # fmt: skip
    app.state.house = house
    tell_failures(app)
    for router in ROUTERS:
        app.include_router(router, prefix=PREFIX)
    app.include_router(page_router)
    app.include_router(metrics_router)
    app.router.default = Page(house.page if house else None)
    return app
