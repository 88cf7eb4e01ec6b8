"""The conformance kit for games: `check_game` plays random matches and checks every promise of `arena.games.api`.

In a test of your own game::

    def test_my_game_keeps_its_promises() -> None:
        check_game(MyGame())

What is broken is an `AssertionError` that names the rule, and the deal and actions that show it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

import attrs
import msgspec

from arena.errors import IllegalAction, NotationError
from arena.games.api import Action, Game, OptionValue, Outcome, Seat, State
from arena.options import complete_options

#: Returns a state that differs from a given one in nothing but what is hidden from the seat; it may be drawn anew
#: by the random numbers, and equal by chance.
Disguise: TypeAlias = Callable[[State, Seat, random.Random], State]

NO_ACTIONS = ("", " ", "\n", "no such action", "-1", "0", "é", "{}", "9" * 400)
NOTATION_CHARACTERS = 1000  #: of one action, at most


@attrs.frozen(kw_only=True)
class Effort:
    """How much is checked."""

    deals: int = 3  #: random matches for each seat count
    max_actions: int = 10_000  #: a match that is longer than this is a fault
    legal_actions: int = 200  #: how many are looked at in one state
    thorough: float = 0.25  #: share of the states in which everything is checked


def check_game(
    game: Game,
    *,
    options: Mapping[str, OptionValue] | None = None,
    seats: Sequence[int] | None = None,
    disguise: Disguise | None = None,
    seed: int = 0,
    effort: Effort | None = None,
) -> None:
    """Check a game; raise `AssertionError` at the first promise that is broken, `ConfigError` for wrong options.

    Args:
        game: what is checked.
        options: of the game; its defaults unless given.
        seats: the seat counts to check; all of the game's unless given.
        disguise: changes what is hidden from a seat, to check that no view tells of it; leave it out only if
            nothing is hidden in this game.
        seed: of the random play.
        effort: how much is checked.
    """
    check_facts(game)
    values = complete_options(game, options or {})
    fingerprint = game.fingerprint(values)
    assert fingerprint == game.fingerprint(values) != "", f"{game.name}: the fingerprint is empty or changes"
    rng, effort = random.Random(seed), effort or Effort()
    for count in game.seat_counts if seats is None else seats:
        for _ in range(effort.deals):
            _Playthrough(game, count, values, rng, effort, disguise).run()


def check_facts(game: Game) -> None:
    """Check what a game says of itself: name, version, seat counts, options."""
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", game.name), f"name {game.name!r}: lower case, joined by dashes"
    assert isinstance(game.version, str), f"{game.name}: version is {game.version!r}, not a text"
    assert game.version, f"{game.name}: the version is empty"
    counts = list(game.seat_counts)
    assert counts, f"{game.name}: no seat counts"
    assert counts == sorted(set(counts)), f"{game.name}: seat counts {counts} don't rise"
    assert counts[0] >= 1, f"{game.name}: seat counts {counts}"
    assert "\n" not in game.summary, f"{game.name}: the summary is more than one line"
    names = [option.name for option in game.options]
    assert len(names) == len(set(names)), f"{game.name}: two options have one name: {names}"
    for option in game.options:
        wrong = [value for value in option.choices if type(value) is not type(option.default)]
        assert not wrong, f"{game.name}: option {option.name} has choices of another type than its default: {wrong}"
        chosen = not option.choices or option.default in option.choices
        assert chosen, f"{game.name}: the default of option {option.name} is none of its choices"


def check_outcome(outcome: Outcome, seats: int) -> None:
    """Check that places and scores are well formed and agree with each other."""
    places, scores = outcome.places, outcome.scores
    assert len(places) == seats, f"{len(places)} places for {seats} seats"
    assert len(scores) == seats, f"{len(scores)} scores for {seats} seats"
    right = tuple(1 + sum(other < place for other in places) for place in places)
    assert places == right, f"places {places}: ties share a place and the places after it are skipped, as in {right}"
    for better in range(seats):
        for worse in range(seats):
            if places[better] < places[worse]:
                agree = scores[better] >= scores[worse]
                assert agree, (
                    f"place {places[better]} has {scores[better]}, place {places[worse]} {scores[worse]} points"
                )
    for name, points in outcome.categories.items():
        assert len(points) == seats, f"category {name} has {len(points)} entries for {seats} seats"


class _Playthrough:
    """One random match, checked on its way."""

    def __init__(
        self,
        game: Game,
        seats: int,
        options: Mapping[str, OptionValue],
        rng: random.Random,
        effort: Effort,
        disguise: Disguise | None,
    ) -> None:
        self.game, self.seats, self.options = game, seats, options
        self.rng, self.effort, self.disguise = rng, effort, disguise
        self.key = rng.randbytes(32)
        self.played: list[str] = []
        self.pool: list[Action] = []  # actions that were legal some time, some of them illegal now
        self.kept: list[tuple[State, str]] = []  # copies of earlier states with their digests

    def run(self) -> None:
        try:
            self._run()
        except Exception as error:
            error.add_note(
                f"in {self.game.name} with {self.seats} seats, options {dict(self.options)}, key {self.key.hex()}, "
                f"after {len(self.played)} actions, the last ones: {self.played[-5:]}"
            )
            raise

    def _run(self) -> None:
        state = self._deal()
        assert state.digest() == self._deal().digest(), "equal keys give different deals"
        assert state.seats == self.seats, f"the state has {state.seats} seats"
        while state.to_act is not None:
            assert len(self.played) < self.effort.max_actions, "the match does not end"
            if not self.played or self.rng.random() < self.effort.thorough:
                self._check_state(state)
            self._play(state, self.rng.choice(state.options()))
        self._check_over(state)
        for copy, digest in self.kept:
            assert copy.digest() == digest, "a copy changed while the match went on"
        self._replay(state)
        self._play_defaults()

    def _deal(self) -> State:
        return self.game.deal(self.seats, self.key, self.options)

    def _play(self, state: State, action: Action) -> None:
        seat, text = state.to_act, str(action)
        view = state.view(0)
        before = msgspec.json.encode(view)
        told = self.game.tell(state, action)
        assert told, f"tell of {text} is empty"
        assert "\n" not in told, f"tell of {text} is more than one line"
        state.check(action)
        assert state.to_act == seat, "check or tell changed the seat to act"
        state.apply(action)
        self.played.append(text)
        assert msgspec.json.encode(view) == before, "a view changed when an action was played: it shares a list"

    def _check_state(self, state: State) -> None:
        digest = state.digest()
        self.kept.append((state.copy(), digest))
        assert re.fullmatch("[0-9a-f]{32}", digest), f"the digest {digest!r} is no 32 hex digits"
        assert state.to_act in range(self.seats), f"to_act is {state.to_act}"
        assert state.outcome() is None, "there is an outcome although a seat is to act"
        check_outcome(state.standing(), self.seats)
        self._check_actions(state)
        self._check_views(state)
        assert self.game.draw(state).strip(), "draw gives nothing"
        self._check_copies(state)
        assert state.digest() == digest, "looking at the state changed it"

    def _check_actions(self, state: State) -> None:
        lazy = state.legal_actions()
        assert iter(lazy) is lazy, "legal_actions is no iterator: it must be lazy"
        legal = list(islice(lazy, self.effort.legal_actions + 1))
        complete = len(legal) <= self.effort.legal_actions
        assert legal, "no legal action although a seat is to act"
        assert legal == list(islice(state.legal_actions(), len(legal))), "legal_actions changes its order"
        options = list(state.options())
        assert options, "no options although a seat is to act"
        for name, actions in (("legal_actions", legal), ("options", options)):
            texts = [str(action) for action in actions]
            assert len(set(actions)) == len(set(texts)) == len(actions), f"{name} has an action twice"
            for action in actions:
                self._check_legal(state, action, name)
        if complete:
            strangers = [str(option) for option in options if option not in legal]
            assert not strangers, f"options that are no legal actions: {strangers}"
        assert (len(options) == 1) == (len(legal) == 1), (
            f"options has {len(options)} of {len(legal)} legal actions; it has one exactly when only one is legal"
        )
        self._check_legal(state, state.default_action(), "default_action")
        self._check_illegal(state, legal, complete)
        self.pool = self.rng.sample([*self.pool, *legal], min(60, len(self.pool) + len(legal)))

    def _check_legal(self, state: State, action: Action, name: str) -> None:
        text = str(action)
        try:
            state.check(action)
        except IllegalAction as error:
            raise AssertionError(f"{name} has {text}, which check refuses: {error}") from error
        assert text.isprintable(), f"the notation {text!r} is not one printable line"
        assert 0 < len(text) <= NOTATION_CHARACTERS, f"the notation of an action has {len(text)} characters"
        again = self.game.parse(text)
        assert again == action, f"parse({text!r}) is another action: {again}"
        assert hash(again) == hash(action), f"parse({text!r}) has another hash"

    def _check_illegal(self, state: State, legal: Sequence[Action], complete: bool) -> None:
        digest, known = state.digest(), set(legal)
        for action in self.pool:
            problem = _refusal(state.check, action)
            if complete:
                assert (problem is None) == (action in known), f"check and legal_actions disagree about {action}"
            if problem is not None:
                assert problem, f"check refuses {action} without a reason"
                twin = state.copy()
                assert _refusal(twin.apply, action) is not None, f"apply plays {action}, which check refuses"
                assert twin.digest() == digest, f"apply refused {action} and changed the state"
        for text in NO_ACTIONS:
            try:
                self.game.parse(text)
            except NotationError:
                continue
            assert str(self.game.parse(text)) == text, f"parse({text!r}) neither fails nor round-trips"

    def _check_views(self, state: State) -> None:
        for seat in range(self.seats):
            view = msgspec.json.encode(state.view(seat))
            assert view == msgspec.json.encode(state.view(seat)), f"the view of seat {seat} changes"
            assert view.startswith(b"{"), "a view is a mapping"
            if self.disguise is None:
                continue
            other = self.disguise(state.copy(), seat, self.rng)
            assert view == msgspec.json.encode(other.view(seat)), f"the view of seat {seat} tells of what is hidden"
            if seat == state.to_act:
                same = list(map(str, state.options())) == list(map(str, other.options()))
                assert same, f"the options of seat {seat} tell of what is hidden"

    def _check_copies(self, state: State) -> None:
        digest = state.digest()
        twin = state.copy()
        assert twin is not state, "copy returns the state itself"
        assert twin.digest() == digest, "a copy is not equal"
        for _ in range(3):
            if twin.to_act is not None:
                twin.apply(self.rng.choice(twin.options()))
        assert state.digest() == digest, "playing on a copy changed the state"
        other = state.copy()
        state_after = state.copy()
        action = self.rng.choice(state.options())
        other.apply(action)
        state_after.apply(action)
        assert other.digest() == state_after.digest(), f"two copies differ after {action}"

    def _check_over(self, state: State) -> None:
        outcome = state.outcome()
        assert outcome is not None, "no seat is to act, but there is no outcome"
        check_outcome(outcome, self.seats)
        assert outcome == state.standing(), "standing differs from the outcome of a finished match"
        assert not list(state.legal_actions()), "there are legal actions although the match is over"
        assert not state.options(), "there are options although the match is over"
        digest = state.digest()
        for action in self.pool:
            assert _refusal(state.check, action) is not None, f"check allows {action} although the match is over"
            assert _refusal(state.apply, action) is not None, f"apply plays {action} although the match is over"
            assert state.digest() == digest, f"apply refused {action} and changed the state"
        self.game.draw(state)

    def _replay(self, state: State) -> None:
        again = self._deal()
        for text in self.played:
            again.apply(self.game.parse(text))
        assert again.digest() == state.digest(), "replaying the notation of all actions gives another state"
        assert again.outcome() == state.outcome(), "replaying the notation of all actions gives another outcome"

    def _play_defaults(self) -> None:
        state = self._deal()
        for _ in range(self.effort.max_actions):
            if state.to_act is None:
                return
            state.apply(state.default_action())
        raise AssertionError("a match of default actions alone does not end")


def _refusal(rule: Callable[[Action], None], action: Action) -> str | None:
    """Return why `rule` refuses the action, None when it doesn't."""
    try:
        rule(action)
    except IllegalAction as error:
        return str(error)
    return None
