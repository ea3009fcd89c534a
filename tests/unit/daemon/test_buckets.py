"""How often callers may do something."""

from postroom.daemon.api.buckets import KEPT_MAX, Buckets


class Watch:
    """Seconds that a test sets."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        """What the watch shows."""
        return self.now_s


def test_a_burst_is_taken_at_once_and_the_next_one_waits() -> None:
    watch = Watch()
    buckets = Buckets(2, 3, watch)

    waits = [buckets.take("a") for _ in range(5)]

    assert waits == [0, 0, 0, 0.5, 0.5]
    assert buckets.take("b") == 0


def test_a_bucket_fills_at_its_rate_and_no_further_than_its_size() -> None:
    watch = Watch()
    buckets = Buckets(2, 3, watch)
    for _ in range(3):
        buckets.take("a")

    watch.now_s += 0.5
    assert [buckets.take("a"), buckets.take("a")] == [0, 0.5]
    watch.now_s += 1_000
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]


def test_no_number_of_callers_fills_the_memory() -> None:
    watch = Watch()
    buckets = Buckets(1, 2, watch)

    for key in range(3 * KEPT_MAX):
        assert buckets.take(str(key)) == 0

    assert buckets.remembered <= KEPT_MAX
