"""What agents do arrives at an OpenTelemetry collector, over its real wire."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from postroom.app import Hooks, Postroom
from postroom.config import read_config
from postroom.frontends.cli.demo import TEAM, TOOLS, HastyClock
from postroom.observe.traces import LOST
from tests.unit.profiles.folder import agent, write


class Collector:
    """Takes spans as a collector does, and keeps them."""

    def __init__(self) -> None:
        self.bodies = list[bytes]()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                collector.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- its name there
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def spans(self) -> list[Span]:
        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        return [
            span for request in requests for one in request.resource_spans for scope in one.scope_spans
            for span in scope.spans
        ]  # fmt: skip


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    collector = Collector()
    thread = threading.Thread(target=collector.server.serve_forever)
    thread.start()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
    yield collector
    collector.server.shutdown()
    collector.server.server_close()
    thread.join()


def about(span: Span) -> dict[str, str | int]:
    """The attributes of a span."""
    return {one.key: one.value.string_value or one.value.int_value for one in span.attributes}


def named(spans: list[Span], name: str) -> list[Span]:
    """The spans of a name, oldest first."""
    return sorted((span for span in spans if span.name == name), key=lambda span: span.start_time_unix_nano)


async def test_one_text_of_the_person_is_one_trace_down_to_the_last_child(
    tmp_path: Path, collector: Collector
) -> None:
    settings = tmp_path / "config.toml"
    settings.write_text("[otel]\nenabled = true\n", encoding="utf-8")
    config = read_config(environ={"POSTROOM_STORE": str(tmp_path / "store")}, person_file=settings)
    room = Postroom.open(config.store, team=TEAM, tools=(TOOLS,), clock=HastyClock(), config=config)
    async with room:
        await room.wait(await room.prompt("Write a page"), tree=True)
        await room.quiesce()
    spans = collector.spans()

    planner = named(spans, "invoke_agent planner")[0]
    by_id = {span.span_id: span for span in spans}
    researcher = named(spans, "invoke_agent researcher")[0]
    assert researcher.trace_id == planner.trace_id
    assert by_id[researcher.parent_span_id].name == "invoke_agent planner"
    assert about(planner)["postroom.turn.state"] == "finished"
    assert about(planner)["gen_ai.operation.name"] == "invoke_agent"
    chats = [span for span in spans if about(span).get("gen_ai.operation.name") == "chat"]
    tools = [span for span in spans if about(span).get("gen_ai.operation.name") == "execute_tool"]
    assert chats
    assert tools
    for span in (*chats, *tools):
        above = by_id[span.parent_span_id]
        assert above.name.startswith("invoke_agent ")
        assert above.start_time_unix_nano <= span.start_time_unix_nano <= span.end_time_unix_nano
        assert span.end_time_unix_nano <= above.end_time_unix_nano
    assert any(event.name == "branch.message_sent" for span in spans for event in span.events)


async def test_no_text_of_anybody_leaves_the_process(tmp_path: Path, collector: Collector) -> None:
    settings = tmp_path / "config.toml"
    settings.write_text("[otel]\nenabled = true\n", encoding="utf-8")
    config = read_config(environ={"POSTROOM_STORE": str(tmp_path / "store")}, person_file=settings)
    room = Postroom.open(config.store, team=TEAM, tools=(TOOLS,), clock=HastyClock(), config=config)
    async with room:
        await room.wait(await room.prompt("Write a page about xyzzy"), tree=True)
    sent = b"".join(collector.bodies)

    assert b"invoke_agent" in sent
    assert b"xyzzy" not in sent


async def test_a_collector_that_is_away_says_nothing_between_the_answers(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its traces are lost, which is said once where troubles are said; the end waits for it only so long."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    heard = list[str]()
    settings = tmp_path / "config.toml"
    settings.write_text("[otel]\nenabled = true\n", encoding="utf-8")
    config = read_config(environ={"POSTROOM_STORE": str(tmp_path / "store")}, person_file=settings)
    hooks = Hooks(on_traces_lost=heard.append)
    room = Postroom.open(
        config.store, team=TEAM, tools=(TOOLS,), clock=HastyClock(), config=config, hooks=hooks
    )
    async with room:
        end = await room.wait(await room.prompt("Write a page"), tree=True)

    assert end.text
    assert heard == [LOST]
    assert LOST in room.troubles()
    assert "".join(capfd.readouterr()) == ""


def test_a_collector_that_takes_and_never_answers_keeps_nobody(tmp_path: Path) -> None:
    """A whole `run`: its end does not wait for the answer, standard error and the log say what is lost."""
    write(tmp_path / "postroom" / "config.toml", "[otel]\nenabled = true\n")
    write(tmp_path / "team" / "postroom.toml", 'entry = "a"\n')
    write(tmp_path / "team" / "agents" / "a.md", agent("a").replace("openai:m", "scripted:a"))
    write(tmp_path / "team" / "scripts" / "a.yaml", "- text: done\n")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        environ = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{silent.getsockname()[1]}",
            "OTEL_EXPORTER_OTLP_TIMEOUT": "3600", "POSTROOM_STORE": str(tmp_path / "store"),
            "XDG_CONFIG_HOME": str(tmp_path),
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", "postroom", "run", "--team", str(tmp_path / "team"), "Write"],
            env=os.environ | environ, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    log = (tmp_path / "store" / "logs" / "postroom.log").read_text(encoding="utf-8")

    assert done.stderr.count(LOST) == 1
    assert log.count('"traces.lost"') == 1
