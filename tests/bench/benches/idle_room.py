"""A process that opens a room, waits, and prints what that cost.

`python -m benches.idle_room FOLDER SECONDS`
"""

import asyncio
import json
import sys
import time
from contextlib import suppress
from pathlib import Path

from benches.world import PROFILE, team_of
from postroom.app import Postroom
from postroom.llm.port import ModelAnswer, ModelRequest, OnText


class Silent:
    """A model that nobody should ask."""

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """An answer."""
        return ModelAnswer(text="nothing")


async def _wait(folder: Path, idle_s: float) -> dict[str, float]:
    import_s = time.process_time()
    began_s = time.perf_counter()
    team = team_of(folder / "team", {PROFILE: ()})
    async with Postroom.open(folder, team=team, models={f"scripted:{PROFILE}": Silent()}):
        open_s = time.perf_counter() - began_s
        rss_mb = _rss_mb()
        before_s, since_s = time.process_time(), time.perf_counter()
        with suppress(TimeoutError):
            async with asyncio.timeout(idle_s):
                await asyncio.Event().wait()
        share = (time.process_time() - before_s) / (time.perf_counter() - since_s)
    return {"import_s": import_s, "open_s": open_s, "rss_mb": rss_mb, "share": share}


def _rss_mb() -> float:
    """What the process holds in memory now; Linux only."""
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(_wait(Path(sys.argv[1]), float(sys.argv[2])))))
