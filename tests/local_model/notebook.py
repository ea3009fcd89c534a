"""A notebook as a tool, and a team in which a real model reads it and reports to a clerk."""

from pathlib import Path
from typing import Literal

NOTES = {
    "bees": "Bees dance to show where flowers are.",
    "ants": "Ants follow a trail of scent.",
    "wasps": "Wasps build nests of paper.",
    "moths": "Moths keep the moon at their side.",
    "crickets": "Crickets sing with their wings.",
}
TASK = "Look up {subject} with `look_up`, then tell {clerk} what you found with `send_message`."
_FILES = {
    "postroom.toml": 'entry = "chief"\nsurface = "tree"\n',
    "agents/chief.md": """---
name: chief
description: Hands out the work.
model: scripted:chief
delegates_to: [worker, clerk]
---
Hand out the work.
""",
    "agents/clerk.md": """---
name: clerk
description: Files what it is told.
model: scripted:clerk
---
File what you are told.
""",
    "agents/worker.md": """---
name: worker
description: Looks things up.
model: openai:local
tools: [look_up]
permissions:
  message: { sibling: allow }
context_window: 8192
max_tokens: 300
---
You are a careful worker. You do what the task says.
""",
    "scripts/clerk.yaml": """- text: I am ready.
- text: Filed.
""",
}
_CHIEF = """- calls:
    - delegate_subagent: {{ description: files, prompt: Be ready., agent_type: clerk, background: false }}
- calls:
    - delegate_subagent: {{ description: looks up, prompt: "{task}", agent_type: worker, background: false }}
- text: "The worker says: ${{last}}"
"""


def look_up(subject: Literal["bees", "ants", "wasps", "moths", "crickets"]) -> str:
    """What the notebook says about a subject."""
    return NOTES[subject]


def write_team(folder: Path, subject: str) -> Path:
    """The team, its chief about to hand out one subject."""
    chief = _CHIEF.format(task=TASK.format(subject=subject, clerk="${handle:clerk}"))
    for name, text in {**_FILES, "scripts/chief.yaml": chief}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
