"""In which order what grew out of a task is ended: descendants first, so that nothing new grows meanwhile."""

from collections import defaultdict, deque
from collections.abc import Iterable


def deepest_first(root: int, parents: Iterable[tuple[int, int | None]]) -> list[int]:
    """The tasks under a root, each after everything below it, the root last; a loop is walked once.

    `parents` are (task, parent) in any order; what does not hang on the root is left out.
    """
    below: dict[int, list[int]] = defaultdict(list)
    for task, parent in parents:
        if parent is not None:
            below[parent].append(task)
    seen, line, order = {root}, deque([root]), [root]
    while line:
        for task in below[line.popleft()]:
            if task not in seen:
                seen.add(task)
                line.append(task)
                order.append(task)
    return order[::-1]
