"""Short ways to write a request, shared by the tests of the model port."""

from postroom.llm.port import AssistantItem, CallItem, Item, ModelRequest, ResultItem, UserItem


def user(text: str = "go on") -> UserItem:
    return UserItem(text=text)


def asks(*call_ids: str, text: str = "", arguments: str = "{}") -> AssistantItem:
    """An answer with these calls."""
    calls = tuple(CallItem(call_id=each, tool="look", arguments=arguments) for each in call_ids)
    return AssistantItem(text=text, calls=calls)


def result(call_id: str, text: str = "found") -> ResultItem:
    return ResultItem(call_id=call_id, tool="look", text=text)


def request(*items: Item, agent: str = "planner") -> ModelRequest:
    return ModelRequest(agent=agent, branch="branch-1", instructions="Be brief.", items=items)


def deaf(_: str) -> None:
    """Listens to no text."""


class JumpingClock:
    """A clock whose sleeps are over at once: time jumps, and every jump is kept."""

    def __init__(self) -> None:
        self.slept_s: list[float] = []

    def now_us(self) -> int:
        return round(self.monotonic_s() * 1_000_000)

    def monotonic_s(self) -> float:
        return sum(self.slept_s)

    async def sleep_s(self, seconds: float) -> None:
        self.slept_s.append(seconds)
