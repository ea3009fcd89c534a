"""The readers of the stream bench, in a process of their own: bare sockets, and a check of every id.

`python -m benches.stream_readers URL TOKEN READERS` says `live` when all of them are, takes the last position
on its standard input, and prints what was heard when every reader has got that far or nothing comes any more.
"""

import asyncio
import json
import re
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

FRAME = re.compile(
    rb'id: (\d+)\nevent: log\ndata: {"pos":\d+,"session_id":"[^"]*","agent":"[^"]*","seq":\d+,"ts_us":(\d+)'
)
END = b"\n\n"
AT_ONCE = 50
"""Readers that knock at once."""
PATIENCE_S = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What all readers heard together. Delays in milliseconds."""

    frames: float
    lost: float
    doubled: float
    cut: float
    p50_ms: float
    p99_ms: float
    cpu_s: float
    """Processor time since all were live."""


class Heap:
    """What is counted for all readers."""

    def __init__(self) -> None:
        self.delays_ms: Counter[int] = Counter()
        self.until = sys.maxsize
        self.live_cpu_s = 0.0
        self.all_there = asyncio.Event()
        self.readers: list[Reader] = []

    def heard(self) -> Heard:
        """The sums."""
        frames = self.delays_ms.total()
        return Heard(
            frames=frames, lost=sum(reader.lost + self.until - reader.pos for reader in self.readers),
            doubled=sum(reader.doubled for reader in self.readers),
            cut=sum(reader.is_cut for reader in self.readers), p50_ms=self._percentile(frames * 0.5),
            p99_ms=self._percentile(frames * 0.99),
            cpu_s=time.process_time() - self.live_cpu_s,
        )  # fmt: skip

    def look(self) -> None:
        """Whether everybody has come to the end."""
        if all(reader.pos >= self.until or reader.is_cut for reader in self.readers):
            self.all_there.set()

    def _percentile(self, rank: float) -> int:
        seen = 0
        for delay_ms in sorted(self.delays_ms):
            seen += self.delays_ms[delay_ms]
            if seen >= rank:
                return delay_ms
        return 0


class Reader(asyncio.Protocol):
    """One stream."""

    def __init__(self, request: bytes, heap: Heap) -> None:
        self._request = request
        self._heap = heap
        self._rest = b""
        self.live = asyncio.Event()
        self.pos = 0
        self.lost = 0
        self.doubled = 0
        self.is_cut = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask."""
        assert isinstance(transport, asyncio.WriteTransport)
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        """Whole frames are counted; what is left waits for its end."""
        data = self._rest + data if self._rest else data
        if not self.live.is_set():
            if b"event: live" in data:
                self.pos = int(data.split(b'"pos":')[1].split(b",")[0])
                self.live.set()
            self._rest = data if not self.live.is_set() else b""
            return
        now_us, end = time.time_ns() // 1000, data.rfind(END) + len(END)
        for pos, ts_us in FRAME.findall(data, 0, end):
            self._take(int(pos))
            self._heap.delays_ms[(now_us - int(ts_us)) // 1000] += 1
        self._rest = data[end:]
        if self.pos >= self._heap.until:
            self._heap.look()

    def connection_lost(self, exc: Exception | None) -> None:
        """It was cut off."""
        self.is_cut = True
        self.live.set()

    def _take(self, pos: int) -> None:
        if pos <= self.pos:
            self.doubled += 1
        else:
            self.lost += pos - self.pos - 1
            self.pos = pos


async def _main(url: str, token: str, count: int) -> None:
    heap, host = Heap(), urlsplit(url).netloc
    address, _, port = host.rpartition(":")
    heads = f"GET /api/v1/events HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n"
    gate = asyncio.Semaphore(AT_ONCE)

    async def come() -> None:
        async with gate:
            loop = asyncio.get_running_loop()
            _, reader = await loop.create_connection(lambda: Reader(heads.encode(), heap), address, int(port))
            heap.readers.append(reader)
            await reader.live.wait()

    await asyncio.gather(*(come() for _ in range(count)))
    heap.live_cpu_s = time.process_time()
    sys.stdout.write("live\n")
    sys.stdout.flush()
    heap.until = int(await asyncio.to_thread(sys.stdin.readline))
    heap.look()
    try:
        async with asyncio.timeout(PATIENCE_S):
            await heap.all_there.wait()
    except TimeoutError:
        sys.stderr.write("not all readers came to the end\n")
    sys.stdout.write(json.dumps(asdict(heap.heard())) + "\n")


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
