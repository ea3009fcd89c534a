"""Figures for Prometheus: what they count, and that a scrape costs no more for what has been."""

from collections.abc import Iterator
from dataclasses import replace

from prometheus_client.parser import text_string_to_metric_families

from postroom.daemon.api.guard import Scope
from postroom.daemon.metric_table import COST, COUNTERS, GAUGES, PREFIX, WAITED, Metric
from postroom.domain.policy import Policy
from postroom.testing.script import say
from postroom.testing.world import World
from tests.acceptance.asking import question, the_ask
from tests.acceptance.family import Worlds, family, send
from tests.acceptance.statements import effort
from tests.frontends.api import Api, objects
from tests.frontends.daemon import Daemon, serving


class Figures:
    """What one scrape gave."""

    def __init__(self, text: str) -> None:
        self._found = {
            (sample.name.removeprefix(PREFIX), *sorted(sample.labels.values())): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }
        self.names = {name for name, *_ in self._found}

    def of(self, name: str, *labels: str) -> float:
        """One figure; a counter that nothing has counted yet is 0."""
        return self._found.get((name, *sorted(labels)), 0.0)


async def scraped(daemon: Daemon) -> Figures:
    """The figures as they are now."""
    answer = await daemon.client(Scope.READ).get(f"{daemon.url}/metrics")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return Figures(answer.text)


async def test_mail_is_counted_as_it_is_accepted_read_and_dropped(world: World) -> None:
    root, b = await family(world, "b")
    async with serving(world.room) as daemon:
        await root.does(send(world.handle("b"), "look"), send(world.handle("b"), " "))
        waits = await scraped(daemon)
        message = (await world.event("message.accepted", 3)).message_id
        await world.room.recall(message)
        dropped = await scraped(daemon)
        await b.says("done")
        await world.turn_end("b")
        read = await scraped(daemon)

    assert waits.of("messages_accepted_total", "mail", "steer") == 1
    assert (waits.of("messages_waiting", "unread"), waits.of("refusals_total", "invalid_body")) == (1, 1)
    assert waits.of("agents", "running") == 2
    assert dropped.of("messages_discarded_total", "mail", "recalled") == 1
    assert dropped.of("messages_accepted_total", "notice", "steer") == 1
    assert read.of("messages_consumed_total", "prompt") == 1
    assert read.of("turns_ended_total", "finished") == 1
    assert read.of("message_wait_seconds_count") == waits.of("message_wait_seconds_count") + 1
    root.rests()


async def test_asks_and_streams_are_told_as_they_stand(world: World) -> None:
    a = world.puppet("a")
    await world.prompt("a", "begin")
    async with serving(world.room) as daemon:
        await a.starts(question("Shall I?"))
        ask = await the_ask(world)
        asked = await scraped(daemon)
        await world.room.answer(ask.ask_id, "yes")
        await a.says("done")
        await world.turn_end("a")
        after = await scraped(daemon)

    assert (asked.of("open_asks", "question"), asked.of("asks_opened_total", "question")) == (1, 1)
    assert (after.of("open_asks", "question"), after.of("asks_ended_total", "answered")) == (0, 1)
    assert (after.of("streams_open"), after.of("store_paused")) == (0, 0)
    assert after.of("log_position") == world.events()[-1].pos


async def test_tokens_and_cost_follow_the_answers(world: World) -> None:
    world.agent("a", replace(say("hello"), tokens=120, cost_micros=250_000))
    async with serving(await world.open()) as daemon:
        await world.prompt("a", "begin")
        await world.quiesce()
        found = await scraped(daemon)

    assert found.of("tokens_total", "input") + found.of("tokens_total", "output") == 120
    assert (found.of("cost_usd_total"), found.of("answers_total")) == (0.25, 1)


async def test_a_scrape_and_a_page_of_sessions_cost_no_more_for_what_has_been(world: World) -> None:
    """In instructions of the database: with 60 sessions that are over as with 5."""
    world.agent("a", *[say("hello")] * 100)
    spent: list[tuple[int, int]] = []
    async with serving(await world.open()) as daemon:
        api = Api(daemon.client())
        for n_sessions in (5, 55):
            for _ in range(n_sessions):
                await world.prompt_new("a", "begin")
            await world.quiesce()
            await scraped(daemon)
            with effort(world) as scraping:
                await scraped(daemon)
            with effort(world) as listing:
                listed = objects((await api.shown("/sessions", limit=5))["sessions"])
            spent.append((scraping[0], listing[0]))

    assert len(listed) == 5
    few, many = spent
    assert many[0] <= few[0] + 20, spent
    assert many[1] <= few[1] + 100, spent


async def test_what_the_person_has_not_read_is_told_until_they_have(worlds: Worlds) -> None:
    world = worlds(policy=Policy(surface="tree", tokens_max=1))
    world.agent("a", say("hello"))
    async with serving(await world.open()) as daemon:
        await world.prompt("a", "begin")
        await world.quiesce()
        before = await scraped(daemon)
        await world.room.see_notices((), through=1 << 40)
        after = await scraped(daemon)

    assert (before.of("unseen_notices"), after.of("unseen_notices")) == (1, 0)


async def test_every_metric_of_the_table_is_given(world: World) -> None:
    world.agent("a", say("hello"))
    async with serving(await world.open()) as daemon:
        await world.prompt("a", "begin")
        await world.quiesce()
        text = (await daemon.client().get(f"{daemon.url}/metrics")).text

    told = {family.name for family in text_string_to_metric_families(text)}
    assert {PREFIX + metric.name for metric in _table()} <= told


def _table() -> Iterator[Metric]:
    yield from (*COUNTERS.values(), COST, WAITED, *GAUGES.values())
