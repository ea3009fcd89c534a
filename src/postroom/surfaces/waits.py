"""What tools that wait may ask of the turn that runs them."""

from typing import Protocol

from postroom.domain.receipt import Refusal
from postroom.domain.turn import Call
from postroom.service.wait_for import WaitRequest


class WaitDesk(Protocol):
    """The part of a desk for waits."""

    async def wait_for(self, call: Call, request: WaitRequest, timeout_s: float) -> Refusal | None:
        """Wait for several things without a slot; the call's result is durable unless refused.

        It returns at the latest after `timeout_s`, which a process that goes on with the turn of another goes
        on with, too.
        """
        ...
