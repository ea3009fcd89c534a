"""Figures for Prometheus: counters that follow the log, and gauges that are looked up when asked for.

No request pays for a counter: the log is read page by page behind the commits, at most once a second. What a
scrape costs does not grow with the store.
"""

import asyncio
import contextlib
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from postroom import __version__
from postroom.app import Postroom
from postroom.clock import Clock, SystemClock
from postroom.daemon.metric_table import COST, COUNTERS, GAUGES, PREFIX, WAITED, WAITED_BUCKETS, Metric
from postroom.errors import StoreFault
from postroom.observe.tally import MICROS, Tally, standing, tally

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
GAP_S: Final = 1.0
"""The least time between two looks at the log."""


class Metrics:
    """The figures of one room since it was opened. Nothing is read before `begin` or the first scrape."""

    def __init__(self, room: Postroom, *, clock: Clock | None = None) -> None:
        self._room = room
        self._clock = clock or SystemClock()
        self._registry = CollectorRegistry()
        self._counters = {name: _counter(metric, self._registry) for name, metric in COUNTERS.items()}
        self._cost = _counter(COST, self._registry)
        self._waited = Histogram(
            PREFIX + WAITED.name, WAITED.meaning, buckets=WAITED_BUCKETS, registry=self._registry
        )
        self._gauges = {
            name: Gauge(PREFIX + metric.name, metric.meaning, metric.labels, registry=self._registry)
            for name, metric in GAUGES.items()
        }
        self._gauges["info"].labels(__version__).set(1)
        self._pos = room.opened_pos
        # One reads at a time: a scrape and the follower would count a page twice.
        self._reading = asyncio.Lock()
        self._following: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Follow the log from now on."""
        self._following = asyncio.get_running_loop().create_task(self._follow(), name="metrics")

    async def close(self) -> None:
        """Follow no more. Idempotent."""
        if self._following is not None:
            self._following.cancel()
            await asyncio.gather(self._following, return_exceptions=True)

    async def scrape(self, *, n_streams: int, paused: bool, started_us: int) -> bytes:
        """All figures as they are now, in Prometheus' text format."""
        await self._catch_up()
        now = await self._room.store.read(standing)
        for (name, label), n in now.gauges.items():
            (self._gauges[name].labels(label) if label else self._gauges[name]).set(n)
        age_us = self._clock.now_us() - now.oldest_us if now.oldest_us else 0
        self._gauges["oldest_unread_seconds"].set(max(age_us, 0) / MICROS)
        self._gauges["streams_open"].set(n_streams)
        self._gauges["writer_queue"].set(self._room.store.n_waiting)
        self._gauges["store_paused"].set(paused)
        self._gauges["start_time_seconds"].set(started_us / MICROS)
        return generate_latest(self._registry)

    async def _follow(self) -> None:
        heard = self._room.store.doorbell.listen()
        try:
            while True:
                await heard.wait()
                heard.clear()
                with contextlib.suppress(StoreFault):  # the next commit brings the next try
                    await self._catch_up()
                await self._clock.sleep_s(GAP_S)
        finally:
            self._room.store.doorbell.leave(heard)

    async def _catch_up(self) -> None:
        async with self._reading:
            is_whole = False
            while not is_whole:
                found, self._pos, is_whole = await self._room.store.read(tally, self._pos)
                self._take(found)

    def _take(self, found: Tally) -> None:
        for (name, labels), n in found.counts.items():
            counter = self._counters[name]
            (counter.labels(*labels) if labels else counter).inc(n)
        self._cost.inc(found.cost_micros / MICROS)
        for waited_s in found.waits_s:
            self._waited.observe(waited_s)


def _counter(metric: Metric, registry: CollectorRegistry) -> Counter:
    return Counter(PREFIX + metric.name, metric.meaning, metric.labels, registry=registry)
