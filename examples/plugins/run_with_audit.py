"""Runs the team with the plugin: `python run_with_audit.py "the task"`."""

import asyncio
import sys
from pathlib import Path

from audit_mail import MailAudit

from postroom.app import Postroom

HERE = Path(__file__).parent


async def main(task: str) -> None:
    """Say the task, and print what the entry agent answers once its tree is quiet."""
    async with Postroom.open("store", team=HERE / "team", plugins=[MailAudit()]) as room:
        prompt = await room.prompt(task)
        print((await room.wait(prompt, tree=True)).text)


asyncio.run(main(sys.argv[1]))
