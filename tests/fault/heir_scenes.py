"""A child that inherits, gets a second task when it has ended the first, and is woken by a letter."""

from postroom.domain.message import Mode
from postroom.testing.crash import Journal, Person, Scenario
from postroom.testing.script import ScriptedAnswer, call, say
from tests.fault.teams import agent, plays, team


def _task(prompt: str, *, resumes: bool = False, background: bool = False) -> ScriptedAnswer:
    more = {"resume_session_id": "${handle:heir}"} if resumes else {"inherit_context": True}
    return call(
        "delegate_subagent",
        description=prompt,
        prompt=prompt,
        agent_type="heir",
        background=background,
        **more,
    )


def heirs(journal: Journal) -> Scenario:
    """A new child and a resumed one, waited for and in the background; then a wait for a woken one."""
    letter = call("send_message", to="${handle:heir}", body="one more thing", mode=Mode.STEER.value)
    lead = plays(
        _task("go on for me"),
        _task("go on again", resumes=True),
        _task("and once more", resumes=True, background=True),
        call("get_subagent_result", session_id="${handle:heir}", wait=True),
        letter,
        call("get_subagent_result", session_id="${handle:heir}", wait=True),
        *[say("Noted.")] * 20,
    )

    async def drive(person: Person) -> None:
        root = (await person.say("start", "Have heirs.")).session_id
        await person.settle(root)

    models = {"scripted:lead": lead, "scripted:heir": plays(*[say("Gone on.")] * 40)}
    return Scenario(team=team(agent("lead", "heir"), agent("heir")), models=models, drive=drive)
