"""A call that a hook has changed says so to its model: else the result would not fit what was asked for."""


def noted(result: str, changed_by: str | None) -> str:
    """The result as a model and a person read it; the hooks that changed the call are named below it."""
    if not changed_by:
        return result
    return f"{result}\n[the arguments of this call were changed by: {changed_by}]"
