# SPDX-License-Identifier: BSD-3-Clause
"""The application: guard, API, page."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

import hedgehop
from hedgehop.studio.errors import install_error_handlers
from hedgehop.studio.settings import Settings
from hedgehop.studio.studio import Studio
from hedgehop.studio.web.guard import Guard
from hedgehop.studio.web.routes import api
from hedgehop.studio.web.slow_imports import import_slow_modules

_STATIC = Path(__file__).parents[1] / "static"


def create_app(settings: Settings) -> FastAPI:
    """Return the studio as an ASGI application."""
    app = FastAPI(
        title="hedgehop studio",
        version=hedgehop.__version__,
        description="Strokes in, diverse cut-outs out.",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.studio = Studio(settings)
    app.add_middleware(Guard, settings=settings)
    install_error_handlers(app)
    app.include_router(api)
    app.add_api_route("/", _page, include_in_schema=False)
    app.add_api_route("/api", _api_page, include_in_schema=False)
    app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Import slow modules while the person still looks for the brush; at the end stop every solve."""
    threading.Thread(target=import_slow_modules, daemon=True).start()
    yield
    app.state.studio.sessions.close()


async def _page() -> FileResponse:
    return FileResponse(_STATIC / "index.html")


async def _api_page() -> FileResponse:
    return FileResponse(_STATIC / "api.html")
