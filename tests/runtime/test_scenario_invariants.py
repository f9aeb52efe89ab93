"""What kernel.md section 6 promises, asked of every scenario in tests/conformance/scenarios."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from legality import check_anthropic, check_openai, check_pi

from dcc.compiler.load import load_program
from dcc.compiler.program import Program
from dcc.runtime.scenario.load import read_scenario_file
from dcc.runtime.scenario.model import Scenario, Step
from dcc.runtime.scenario.played import Played, PlayedStep
from dcc.runtime.scenario.run import Format, play
from dcc.runtime.scenario.verdict import scenario_files
from dcc.runtime.session import Request, Visible

FOLDER = Path(__file__).parents[1] / "conformance" / "scenarios"

Loaded = tuple[Scenario, Program]


@pytest.fixture(
    params=list(scenario_files(FOLDER)),
    ids=lambda path: path.relative_to(FOLDER).with_suffix("").as_posix(),
)
def loaded(request: pytest.FixtureRequest) -> Loaded:
    """A scenario and its program."""
    path: Path = request.param
    scenario = read_scenario_file(str(path), path.read_bytes()).scenario
    assert scenario is not None
    return scenario, load_program(scenario.ruleset, folder=path.parent)


def requests(played: Played) -> list[Request]:
    return [call.request for step in played.steps for call in step.calls]


def completed(played: Played) -> list[Request]:
    return [call.request for step in played.steps for call in step.calls if call.failed is None]


def violations(request: Request) -> list[str]:
    match request.format:
        case "openai":
            return check_openai(request.messages)
        case "anthropic":
            return check_anthropic(request.system, request.messages)
        case "pi":
            return check_pi(request.messages)


@pytest.mark.parametrize("format", ["openai", "anthropic", "pi"])
def test_p1_every_request_is_legal(loaded: Loaded, format: Format) -> None:
    for request in requests(play(*loaded, format=format)):
        assert violations(request) == []


def test_p2_the_running_message_and_the_system_slots_are_full(loaded: Loaded) -> None:
    for request in requests(play(*loaded)):
        shown = {slot.slot: slot for slot in request.visible}
        running = shown[f"user@{request.turn}"]
        assert (running.how, running.on_stage) == ("full", True)
        assert all(slot.how == "full" for slot in request.visible if slot.element == "system")


def test_p5_the_tokens_of_a_request_are_those_of_its_slots(loaded: Loaded) -> None:
    for request in requests(play(*loaded)):
        assert request.tokens == sum(slot.tokens for slot in request.visible)


def test_p7_a_new_process_after_every_step_changes_nothing(loaded: Loaded) -> None:
    scenario, program = loaded
    woken = replace(scenario, steps=tuple(one for step in scenario.steps for one in (step, waking(step))))
    whole, broken = play(scenario, program), play(woken, program)
    assert [facts(step) for step in whole.steps] == [facts(step) for step in broken.steps[::2]]
    assert [step.state_hash for step in broken.steps[::2]] == [step.state_hash for step in broken.steps[1::2]]
    assert whole.session.ranges() == broken.session.ranges()


def waking(step: Step) -> Step:
    return Step(path=step.path, resume=True)


def facts(step: PlayedStep) -> Any:
    """What a step did, but for notices and causes, which a new process need not repeat."""
    return (
        step.turn,
        step.committed,
        step.text,
        [(call.request.body, call.request.visible, call.results, call.failed) for call in step.calls],
        step.stage,
        step.queue,
        step.state_hash,
        step.error,
    )


@pytest.mark.parametrize("format", ["openai", "pi"])
def test_p9_without_a_break_the_earlier_request_is_a_prefix(loaded: Loaded, format: Format) -> None:
    played = play(*loaded, format=format)
    broken = {
        (call.request.turn, call.request.call)
        for step in played.steps
        for call in step.calls
        if any(number == call.request.call for number, _, _ in step.happenings.breaks)
    }
    done = completed(played)
    for before, after in pairwise(done):
        if (after.turn, after.call) not in broken:
            assert after.body[: len(before.body)] == before.body


def test_p11_what_a_completed_request_held_never_changes(loaded: Loaded) -> None:
    played = play(*loaded)
    for request in completed(played):
        if request.ordinal <= played.session.ordinal:
            assert known(played, played.session.projection(request.ordinal)) == known(played, request.visible)


def known(played: Played, visible: tuple[Visible, ...]) -> list[Visible]:
    """What a request held; of a purged slot only that it was there is still known."""
    slots = played.session._recorder.ledger.slots
    return [v._replace(how="stub", tokens=0) if slots[v.slot].is_purged else v for v in visible]
