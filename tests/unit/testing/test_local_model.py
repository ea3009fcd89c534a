"""What stands in front of the small model: rules, schemas and the wire, without the model itself."""

import json
import threading
from collections.abc import Iterator, Sequence
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from pydantic import JsonValue

from postroom.surfaces.team.talk import TALK_TOOLS
from postroom.testing.local_model.answer import Answering
from postroom.testing.local_model.mind import OnPiece, Question, Spoken
from postroom.testing.local_model.prompt import CLOSE, told
from postroom.testing.local_model.schema import addresses_in, fitted
from postroom.testing.local_model.server import LocalServer
from postroom.testing.local_model.step import Call, Choose, Say, next_step
from postroom.testing.local_model.wire import BadRequest, Body, read_body

Schema = dict[str, JsonValue]
TEXT: Schema = {"type": "string"}
TO: Schema = {"type": "string", "description": "Handle or session id of the recipient."}


class Parrot:
    """Says what it was given to say, one answer a question, and keeps the questions."""

    def __init__(self, *answers: str, finish: str = "stop") -> None:
        self.asked: list[Question] = []
        self._answers = list(answers)
        self._finish = finish

    def ask(self, question: Question, on_piece: OnPiece) -> Spoken:
        self.asked.append(question)
        text = self._answers.pop(0)
        for word in text.split(" "):
            on_piece(f"{word} ")
        return Spoken(text=text, finish=self._finish, input_tokens=10, output_tokens=2)


def tool(name: str, properties: Schema | None = None, required: Sequence[str] = ()) -> Schema:
    parameters: Schema = {"type": "object", "properties": properties or {}, "required": [*required]}
    return {"type": "function", "function": {"name": name, "description": "", "parameters": parameters}}


def body(*messages: JsonValue, **more: JsonValue) -> Body:
    tools: JsonValue = [tool("look_up", {"subject": TEXT}, ["subject"]), tool("send_message"), tool("rest")]
    return Body.model_validate({"messages": messages, "tools": tools, **more})


def user(text: str) -> Schema:
    return {"role": "user", "content": text}


def called(name: str) -> Schema:
    return {"role": "assistant", "tool_calls": [{"id": name, "function": {"name": name, "arguments": "{}"}}]}


def test_named_tools_are_called_in_the_order_of_the_text_and_then_it_speaks() -> None:
    order = user("First `look_up`, then `send_message`; `look_up` only once.")

    assert next_step(body(order)) == Call(tool="look_up")
    assert next_step(body(order, called("look_up"))) == Call(tool="send_message")
    assert next_step(body(order, called("look_up"), called("send_message"))) == Say(done=True)


def test_the_newest_order_counts_and_text_without_one_changes_nothing() -> None:
    first, second = user("Use `look_up`."), user("Now use `send_message`.")

    assert next_step(body(first, called("look_up"), second)) == Call(tool="send_message")
    assert next_step(body(first, user("Be quick."))) == Call(tool="look_up")


def test_the_hint_of_a_mail_and_a_tool_that_is_not_listed_order_nothing() -> None:
    hint = user('Hello [use `send_message(to="a_00000000", ...)` to reply]')

    free = Choose(tools=("look_up", "send_message", "rest"), may_say=True)
    assert next_step(body(hint)) == free
    assert next_step(body(user("Use `fly`."))) == free


def test_what_the_request_says_of_tools_comes_before_the_order() -> None:
    order = user("Use `look_up`.")

    assert next_step(body(order, tool_choice="none")) == Say()
    assert next_step(body(order, tool_choice={"function": {"name": "rest"}})) == Call(tool="rest")
    assert next_step(body(user("Hello"), tool_choice="required")) == Choose(
        tools=("look_up", "send_message", "rest"), may_say=False
    )
    assert next_step(Body.model_validate({"messages": [order]})) == Say()


def test_a_schema_asks_for_what_is_required_bounded_and_addresses_last() -> None:
    schema: Schema = {
        "type": "object",
        "properties": {
            "to": TO, "body": TEXT, "mode": {"enum": ["steer", "queue"]},
            "tags": {"type": "array", "items": {"type": "string", "maxLength": 5}},
        },
        "required": ["to", "body", "tags"],
    }  # fmt: skip

    fit = fitted(schema, ["bob_1a2b3c4d"])

    properties = fit["properties"]
    assert isinstance(properties, dict)
    assert list(properties) == ["body", "tags", "to"]
    assert properties["body"] == {"type": "string", "minLength": 1, "maxLength": 160}
    assert properties["tags"] == {
        "type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 5}, "maxItems": 4,
    }  # fmt: skip
    assert properties["to"] == {"type": "string", "enum": ["bob_1a2b3c4d"]}


def test_an_address_that_may_be_one_or_several_is_one_that_the_conversation_shows() -> None:
    to = next(tool for tool in TALK_TOOLS if tool.spec.name == "send_message").spec.parameters

    fit = fitted(dict(to), ["bob_1a2b3c4d"])

    assert fit["properties"] == {
        "message": {
            "minLength": 1,
            "type": "string",
            "description": "What to write. Not blank.",
            "maxLength": 160,
        },
        "to": {"type": "string", "enum": ["bob_1a2b3c4d"]},
    }


def test_an_address_comes_from_the_order_else_from_anywhere_in_the_conversation() -> None:
    session = "0192f3a4-7b1c-7d2e-8f90-629fd82c07cd"
    earlier = user(f"You work for {session}, beside ann-b_00000001.")

    assert addresses_in(body(earlier)) == (session, "ann-b_00000001")
    assert addresses_in(body(earlier, user("Use `look_up` for bob_1a2b3c4d."))) == ("bob_1a2b3c4d",)


def test_a_conversation_with_tools_is_told_in_turns_of_two() -> None:
    result: Schema = {"role": "tool", "tool_call_id": "look_up", "content": "Bees dance."}

    lines = told(body({"role": "system", "content": "Be brief."}, user("Go."), called("look_up"), result))

    assert [line["role"] for line in lines] == ["system", "user", "assistant", "user"]
    assert lines[-1]["content"] == "look_up answered: Bees dance."


def test_a_call_is_made_of_the_json_that_was_asked_for() -> None:
    mind = Parrot('{\n "subject": "bees" }')

    answer = Answering(mind, body(user("Use `look_up`.")), lambda _piece: True).answer()

    assert (answer.tool, answer.arguments, answer.finish) == ("look_up", '{"subject": "bees"}', "tool_calls")
    assert answer.call_id.startswith("call_")
    assert (answer.input_tokens, answer.output_tokens) == (10, 2)
    assert mind.asked[0].schema is not None


def test_a_tool_without_required_arguments_is_called_without_asking() -> None:
    mind = Parrot()

    answer = Answering(mind, body(user("Now `rest`.")), lambda _piece: True).answer()

    assert (answer.tool, answer.arguments, mind.asked) == ("rest", "{}", [])


def test_a_call_that_was_cut_says_so() -> None:
    mind = Parrot('{"subject": "be', finish="length")

    answer = Answering(mind, body(user("Use `look_up`.")), lambda _piece: True).answer()

    assert (answer.arguments, answer.finish) == ('{"subject": "be', "length")


def test_a_free_choice_is_one_question_and_what_follows_another() -> None:
    mind, heard = Parrot('"answer"', "Good morning."), list[str]()

    answer = Answering(mind, body(user("Good morning")), lambda p: bool(heard.append(p) or True)).answer()

    assert (answer.tool, answer.text, "".join(heard)) == ("", "Good morning.", "Good morning. ")
    assert mind.asked[0].schema == {"enum": ["look_up", "send_message", "rest", "answer"]}
    assert (answer.input_tokens, answer.output_tokens) == (20, 4)


def test_an_order_that_is_carried_out_is_closed_in_words() -> None:
    mind = Parrot("All done.")

    answer = Answering(mind, body(user("Use `rest`."), called("rest")), lambda _piece: True).answer()

    assert answer.text == "All done."
    assert mind.asked[0].lines[-1]["content"].endswith(CLOSE)


def test_a_request_that_is_none_is_refused_by_its_first_wrong_field() -> None:
    with pytest.raises(BadRequest, match="messages"):
        read_body(b'{"messages": []}')


@pytest.fixture
def server() -> Iterator[LocalServer]:
    """The endpoint over a model that answers twice."""
    with LocalServer(Parrot('{"subject": "bees"}', "Good day.")) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def ask(server: LocalServer, path: str, asked: Body | None = None) -> tuple[int, str]:
    connection = HTTPConnection(urlsplit(server.url).netloc, timeout=60)
    if asked is None:
        connection.request("GET", path)
    else:
        connection.request("POST", path, asked.model_dump_json())
    response = connection.getresponse()
    status, text = response.status, response.read().decode()
    connection.close()
    return status, text


def test_the_endpoint_answers_whole_and_in_a_stream(server: LocalServer) -> None:
    whole = ask(server, "/v1/chat/completions", body(user("Use `look_up`.")))
    streamed = ask(server, "/v1/chat/completions", body(user("Hi"), tool_choice="none", stream=True))

    choice = json.loads(whole[1])["choices"][0]
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["tool_calls"][0]["function"]["arguments"] == '{"subject": "bees"}'
    events = [line.removeprefix("data: ") for line in streamed[1].splitlines() if line]
    assert events[-1] == "[DONE]"
    deltas = [json.loads(event)["choices"][0]["delta"] for event in events[:-1]]
    assert "".join(delta.get("content", "") for delta in deltas) == "Good day. "
    assert json.loads(events[-2])["choices"][0]["finish_reason"] == "stop"


def test_the_endpoint_names_its_model_and_refuses_other_paths(server: LocalServer) -> None:
    assert json.loads(ask(server, "/v1/models")[1])["data"][0]["id"] == "local"
    assert ask(server, "/v1/embeddings", body(user("Hi")))[0] == 404
    assert ask(server, "/")[0] == 404
