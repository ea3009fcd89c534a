"""The local model as others use it: a process that lives as long as a `with`."""

import select
import subprocess
import sys
from types import TracebackType
from typing import Self

from postroom.errors import ModelUnavailable
from postroom.testing.local_model.weights import find_weights

MODEL_NAME = "openai:local"
"""What a profile writes to get it."""
START_S = 60.0
"""Loading takes under a second from a warm disk; so long only a machine takes that has stopped."""


class LocalModel:
    """Starts the model on a free port of loopback and stops it.

    Raises `MissingExtra` when it is not installed, `ModelUnavailable` when it does not start.
    """

    def __init__(self) -> None:
        self.url = ""
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        """Loaded, and ready to be asked."""
        find_weights()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "postroom.testing.local_model", "--until-stdin-closes"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            # A Ctrl-C on the terminal is for whoever uses the model; it goes when they go.
            start_new_session=True,
        )  # fmt: skip
        self.url = self._first_line()
        if not self.url:
            self._stop()
            raise ModelUnavailable("the local model did not start; its stderr says why")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stopped."""
        self._stop()

    def env(self) -> dict[str, str]:
        """The environment in which `openai:local` is this model."""
        return {"OPENAI_API_KEY": "local", "POSTROOM_OPENAI_BASE_URL": self.url}

    def _first_line(self) -> str:
        """What it prints once it answers: its URL. Nothing when it has ended or is stuck."""
        output = None if self._process is None else self._process.stdout
        if output is None or not select.select([output], [], [], START_S)[0]:
            return ""
        return output.readline().strip()

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        # Nothing of it is worth a goodbye, and a question under way would delay one.
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
        process.wait()
