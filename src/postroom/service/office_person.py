"""What the person, and plugins beside them, ask of the service. Every change is durable on return."""

from collections.abc import Sequence

from postroom.domain.ask import ApprovalMode, Scope
from postroom.domain.keys import BranchKey, SessionKey
from postroom.domain.receipt import Refusal
from postroom.rules.permissions import Rule
from postroom.service import (
    cancel,
    decisions,
    goals,
    hooks,
    residency,
    stops,
    task_stop,
    tasks,
    timers,
)
from postroom.service.facts import Ring
from postroom.service.fork import ForkView, fork
from postroom.service.notices import see_notices
from postroom.service.office_base import OfficeBase
from postroom.service.recall import recall
from postroom.service.revert import Reverted, revert
from postroom.service.say import Opening, Said, Text, say, say_new
from postroom.store.tx_work import TimerRow


class PersonOffice(OfficeBase):
    """Use cases of the person: words, decisions, rights, the hand on what runs, paths, timers, goals."""

    async def say(self, branch: BranchKey, text: Text) -> Said | Refusal:
        """Accept the person's text for a branch. Durable on return."""
        return await self._write(say, branch, text, self.limits)

    async def say_new(self, opening: Opening, text: Text) -> Said | Refusal:
        """Open a session with the person's first text. Durable on return."""
        return await self._write(say_new, opening, text, self.limits)

    async def open_agent(self, branch: BranchKey) -> None:
        """A front end opens an agent: it is in memory from now on, and mail that was held for that goes."""
        await self._write(residency.open_agent, branch, self.directory)

    async def approve(self, ask_id: str, scope: Scope) -> decisions.Decided | Refusal:
        """Give leave, for one call or for the tree."""
        return await self._write(decisions.approve, ask_id, scope, self.directory)

    async def deny(self, ask_id: str, reason: str) -> decisions.Decided | Refusal:
        """Refuse leave."""
        return await self._write(decisions.deny, ask_id, reason, self.directory)

    async def answer_question(self, ask_id: str, text: str) -> decisions.Decided | Refusal:
        """Answer an agent's question."""
        return await self._write(decisions.answer, ask_id, text)

    async def set_mode(self, root: SessionKey, mode: ApprovalMode) -> None:
        """Who decides the asks of a tree."""
        await self._write(decisions.set_mode, root, mode, self.directory)

    async def try_held(self) -> None:
        """Try held mail again: what files allow has changed."""
        await self._write(decisions.try_held, self.directory)

    async def set_attended(self, root: SessionKey, *, attended: bool) -> None:
        """Whether somebody is there to answer a tree's questions."""
        await self._write(decisions.set_attended, root, attended=attended)

    async def see_notices(self, notices: Sequence[int], through: int | None) -> int:
        """The person has read what they were told; how much of it for the first time."""
        return await self._write(see_notices, notices, through)

    async def set_overlay(self, root: SessionKey, rules: Sequence[Rule]) -> None:
        """Lay the person's rules over a tree; they hold from the next call on."""
        await self.change_overlay(root, lambda _: rules)

    async def change_overlay(self, root: SessionKey, change: decisions.ChangeRules) -> None:
        """Lay what `change` makes of the rules over a tree there; nobody changes them in between."""

        def hold(overlaid: decisions.Overlaid | None) -> None:
            """Right after the commit, also when the caller has gone meanwhile: running turns look here."""
            if overlaid is not None:
                self.overlays[root] = overlaid.overlay
                self._ring_for(overlaid)

        await self.store.write_then(hold, decisions.change_overlay, root, change, self.directory)

    async def stop(self, branch: BranchKey, runs: stops.Runs, *, whole: bool = False) -> stops.Stopped:
        """Pause a branch, or the `whole` session of it, and everything below."""
        return await self._write(stops.stop, branch, runs, whole=whole)

    async def cancel(self, branch: BranchKey) -> tasks.Cancelled | Refusal:
        """End a branch's turn or task; pauses nothing."""
        return await self._write(cancel.cancel, branch)

    async def end_any_task(self, task_id: str) -> task_stop.TaskStopped | Refusal:
        """End one task and everything that grew out of it; pauses nothing."""
        return await self._write(task_stop.stop_task_as_person, task_id)

    async def resume(self, branch: BranchKey) -> Ring | Refusal:
        """Lift a pause, open a turn for parked mail, or go on from an interrupted turn."""
        return await self._write(stops.resume, branch, self.directory, self.limits)

    async def retry(self, message_id: str) -> stops.Retried | Refusal:
        """Accept a quarantined message's body again."""
        return await self._write(stops.retry, message_id)

    async def fork(self, branch: BranchKey, to: str | None) -> ForkView | Refusal:
        """Begin a session where an agent stood."""
        return await self._write(fork, branch, to)

    async def revert(self, branch: BranchKey, to: str, *, keeps_tasks: bool) -> Reverted | Refusal:
        """Take an agent back to where it stood."""
        return await self._write(revert, branch, to, keeps_tasks=keeps_tasks)

    async def set_timer(self, branch: BranchKey, text: Text, due_us: int) -> TimerRow | Refusal:
        """Keep a text of the person until its time. Durable on return."""
        return await self._write(timers.set_timer, branch, text, due_us)

    async def cancel_timer(self, timer_id: str) -> TimerRow | Refusal:
        """Take a text back before its time."""
        return await self._write(timers.cancel_timer, timer_id)

    async def plugin_send(self, branch: BranchKey, text: hooks.PluginText) -> hooks.PluginSent | Refusal:
        """Accept a plugin's message. Durable on return."""
        return await self._write(hooks.plugin_send, branch, text, self.limits)

    async def recall(self, message_id: str, plugin: str = "") -> Refusal | Ring:
        """Take an unread message back, as the person or as a plugin."""
        return await self._write(recall, message_id, self.directory, plugin)

    async def set_goal(self, branch: BranchKey, text: str) -> goals.GoalMoved | Refusal:
        """Give a root agent a goal. Durable on return."""
        return await self._write(goals.set_goal, branch, text, self.limits)

    async def pause_goal(self, branch: BranchKey) -> goals.GoalMoved | Refusal:
        """Remind no more until the goal is resumed."""
        return await self._write(goals.pause_goal, branch)

    async def resume_goal(self, branch: BranchKey) -> goals.GoalMoved | Refusal:
        """Go on with the goal."""
        return await self._write(goals.resume_goal, branch, self.limits)

    async def cancel_goal(self, branch: BranchKey) -> goals.GoalMoved | Refusal:
        """Give the goal up."""
        return await self._write(goals.cancel_goal, branch)
