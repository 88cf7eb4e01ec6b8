"""Makes honest records of random play, for tests of whatever reads records: stores, tables, viewers, replays."""

from __future__ import annotations

import random
from collections.abc import Mapping

from arena.games.api import Action, Game, Seat
from arena.options import complete_options
from arena.referee.record import BotFacts, Fault, PlayedAction, Record, Request, Source, Termination, Verdict
from arena.referee.settings import Fixture


def random_record(game: Game, fixture: Fixture, *, forfeits: Mapping[int, Seat] | None = None) -> Record:
    """Play random options in `fixture`, by the arena's rules and without any bot, and return the record.

    Args:
        game: the rules, played with their default options.
        fixture: which match; its first bot seed also decides what is played.
        forfeits: at how many actions played which seat forfeits; ignored behind the end of the match.
    """
    return _Writer(game, fixture, forfeits or {}).record()


def fixture_of(line_up: tuple[str, ...], *, number: int = 0, key: str = "00" * 32) -> Fixture:
    """Return a fixture of these entrants for tests that don't care about its plan."""
    return Fixture(
        match_id=f"m-{number}",
        number=number,
        line_up=line_up,
        deal=number,
        block=f"b-{number}",
        rotation=0,
        key=key,
        bot_seeds=tuple(range(number, number + len(line_up))),
    )


class _Writer:
    """One match as it is played and written down."""

    def __init__(self, game: Game, fixture: Fixture, forfeits: Mapping[int, Seat]) -> None:
        self.game = game
        self.fixture = fixture
        self.forfeits = forfeits
        self.seats = len(fixture.line_up)
        self.options = complete_options(game, {})
        self.state = game.deal(self.seats, bytes.fromhex(fixture.key), self.options)
        self.rng = random.Random(fixture.bot_seeds[0])
        self.actions: list[PlayedAction] = []
        self.requests: list[Request] = []
        self.faults: list[Fault] = []
        self.gone: set[Seat] = set()

    def record(self) -> Record:
        termination = self._play_on()
        fixture, standing = self.fixture, self.state.standing()
        ranks = [self.seats + 1 if seat in self.gone else place for seat, place in enumerate(standing.places)]
        return Record(
            match_id=fixture.match_id,
            game=self.game.name,
            game_options=self.options,
            fingerprint=self.game.fingerprint(self.options),
            line_up=fixture.line_up,
            deal=fixture.deal,
            block=fixture.block,
            rotation=fixture.rotation,
            key=fixture.key,
            actions=tuple(self.actions),
            requests=tuple(self.requests),
            faults=tuple(self.faults),
            termination=termination,
            places=tuple(sorted(ranks).index(rank) + 1 for rank in ranks),
            scores=standing.scores,
            categories=standing.categories,
            digest=self.state.digest(),
            bots=tuple(BotFacts(entrant=name) for name in fixture.line_up),
        )

    def _play_on(self) -> Termination:
        while (seat := self.state.to_act) is not None:
            leaving = self.forfeits.get(len(self.actions))
            if leaving is not None and leaving not in self.gone:
                self._forfeit(leaving)
            if self.seats - len(self.gone) < 2:
                return Termination.FORFEIT if self.seats > len(self.gone) else Termination.ABANDONED
            self._act(seat)
        return Termination.FINISHED

    def _forfeit(self, seat: Seat) -> None:
        self.gone.add(seat)
        fault = Fault(
            seat=seat,
            verdict=Verdict.CRASH,
            reason="the program ended",
            advice="read its stderr",
            action_number=len(self.actions),
            at_ms=0,
            exit_status="exit code 3",
        )
        self.faults.append(fault)

    def _act(self, seat: Seat) -> None:
        options = self.state.options()
        if seat in self.gone:
            self._play(self.state.default_action(), Source.FORFEIT)
        elif len(options) == 1:
            self._play(options[0], Source.FORCED)
        else:
            self.requests.append(Request(seat=seat, wall_us=2_000, cpu_us=1_000))
            action = options[int(self.rng.random() * len(options))]
            self._play(action, Source.BOT, len(self.requests) - 1)

    def _play(self, action: Action, source: Source, request: int = -1) -> None:
        assert self.state.to_act is not None
        self.actions.append(PlayedAction(seat=self.state.to_act, action=str(action), source=source, request=request))
        self.state.apply(action)
