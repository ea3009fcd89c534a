"""Every metric of the daemon: its name, what it counts, and by what it is told apart."""

from typing import Final, NamedTuple


class Metric(NamedTuple):
    """One metric; counters get `_total` behind their name when they are shown."""

    name: str
    meaning: str
    labels: tuple[str, ...] = ()


PREFIX: Final = "postroom_"
COUNTERS: Final = {
    "messages_accepted": Metric("messages_accepted", "Messages accepted in a mailbox", ("kind", "mode")),
    "messages_consumed": Metric("messages_consumed", "Messages that an answer has read", ("kind",)),
    "messages_discarded": Metric("messages_discarded", "Messages that ended unread", ("kind", "reason")),
    "refusals": Metric("refusals", "Sends and delegations that the rules refused", ("code",)),
    "turns_ended": Metric("turns_ended", "Turns that ended", ("state",)),
    "answers": Metric("answers", "Answers of models that were committed"),
    "side_calls": Metric("side_calls", "Requests to models beside the turns", ("purpose", "outcome")),
    "tokens": Metric("tokens", "Tokens that models have read and written", ("direction",)),
    "asks_opened": Metric("asks_opened", "Approvals and questions that were asked", ("kind",)),
    "asks_ended": Metric("asks_ended", "Approvals and questions that have ended", ("state",)),
}
"""Counted since the daemon was started, each where its event was committed."""
COST: Final = Metric("cost_usd", "US dollars that answers have cost, as far as prices are known")
WAITED: Final = Metric("message_wait_seconds", "From the acceptance of a message to the answer that read it")
WAITED_BUCKETS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1_800.0, 7_200.0)
"""Bounds in seconds."""
GAUGES: Final = {
    "agents": Metric("agents", "Agents with a turn, and those that the person has stopped", ("state",)),
    "messages_waiting": Metric("messages_waiting", "Messages that nobody has read yet", ("state",)),
    "oldest_unread_seconds": Metric("oldest_unread_seconds", "How long the oldest unread message waits"),
    "open_asks": Metric("open_asks", "What the person is asked now", ("kind",)),
    "unseen_notices": Metric("unseen_notices", "What the person was told and has not read"),
    "streams_open": Metric("streams_open", "Streams of events that are open"),
    "writer_queue": Metric("writer_queue", "Writes that wait for the store"),
    "log_position": Metric("log_position", "The number of the newest event"),
    "store_paused": Metric("store_paused", "1 while the store cannot be written"),
    "start_time_seconds": Metric("start_time_seconds", "When the daemon was started, in Unix time"),
    "info": Metric("info", "Always 1", ("version",)),
}
"""Looked up when they are asked for."""
