"""A model that writes down what it was asked, so that a changed or bad request is seen after a kill."""

from postroom.errors import ScriptEnded
from postroom.llm import strict
from postroom.llm.port import Model, ModelAnswer, ModelRequest, OnText
from postroom.llm.scripted import PROVIDER
from postroom.testing.crash.journal import Journal

LAST_WORD = "Nothing more to say."


class Witness:
    """Any model, watched. Where its script has nothing to say it ends the turn with a word.

    A kill leaves agents on roads that no script foresees: a handle that was never told, one round more.
    """

    def __init__(self, model: Model, journal: Journal) -> None:
        self._model = model
        self._journal = journal

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """The model's answer; the request is in the journal before the model sees it."""
        self._journal.asked(request)
        if (flaw := strict.check(request)) is not None:
            self._journal.note("flaw", agent=request.agent, branch=request.branch, text=flaw)
        try:
            return await self._model.request(request, on_text)
        except ScriptEnded:
            return ModelAnswer(text=LAST_WORD, provider=PROVIDER)
