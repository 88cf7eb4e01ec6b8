"""Tells a match in the terminal: who does what, in sentences, with boards, faults, notes and the result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import click

from arena.cli.complaints import last_lines
from arena.cli.output import dim, print_table, strong
from arena.games.api import Action, Game, OptionValue, Seat, State
from arena.referee.record import Fault, PlayedAction, Record, Source
from arena.referee.verify import Step, deal, replay

#: One colour for each seat, on a terminal.
SEAT_COLOURS = ("cyan", "yellow", "magenta", "green", "blue", "red")
_WHY = {
    Source.FORCED: "the only legal action",
    Source.FORFEIT: "played for it after its forfeit",
    Source.STRIKE: "played for it: a strike",
}


class Teller:
    """Tells one record."""

    def __init__(self, record: Record, game: Game) -> None:
        self._record = record
        self._game = game
        self._names = seat_names(record.line_up)

    def state_after(self, actions: int) -> State:
        """Return the state after so many actions, at most all of them."""
        state = deal(self._record, self._game)
        for step in replay(self._record, self._game):
            state = step.state
            if step.index == actions:
                return state.copy()
        return state

    def tell(self, *, steps: bool = False, only_seat: Seat | None = None) -> None:
        """Print the whole match; with `steps` the board before every action, else at the start and the end."""
        record, game = self._record, self._game
        self._tell_head()
        state = deal(record, game)
        if not steps:
            click.echo(f"\n{game.draw(state)}\n")
        last_seat: Seat | None = None
        for step in replay(record, game):
            state = step.state
            self._tell_events(step.index)
            if only_seat is None or step.played.seat == only_seat:
                if steps:
                    click.echo(f"\n{game.draw(state)}\n")
                self._tell_action(step, new_turn=step.played.seat != last_seat)
            last_seat = step.played.seat
        self._tell_events(len(record.actions))
        click.echo(f"\n{game.draw(state)}\n")
        tell_result(record)

    def _tell_head(self) -> None:
        record = self._record
        options = told_options(record.game_options)
        click.echo(strong(f"{record.match_id}: {record.game}{options}"))
        for seat, name in enumerate(self._names):
            bot = record.bots[seat] if seat < len(record.bots) else None
            called = f"{bot.name} {bot.version}".strip() if bot else ""
            click.echo(f"  seat {seat}  {name}  {dim(called)}".rstrip())
        host = record.host
        if host.started_at:
            click.echo(dim(f"  played {host.started_at} in {host.wall_ms / 1000:.1f} s, sandbox {host.rung or 'none'}"))

    def _tell_action(self, step: Step, *, new_turn: bool) -> None:
        name = self._names[step.played.seat]
        sentence = self._game.tell(step.state, step.action)
        width = len(max_name(self._names))
        click.echo(told_action(step.index, name if new_turn else "", sentence, step.played, width))
        tell_picture(self._game, step.action, width)

    def _tell_events(self, number: int) -> None:
        for note in self._record.notes:
            if note.action_number == number:
                click.echo(dim(f"      {click.unstyle(self._names[note.seat])} notes: {note.text}"))
        for fault in self._record.faults:
            if fault.action_number == number:
                tell_fault(self._names[fault.seat], fault)


class LiveTelling:
    """Tells the actions of a match while it is played; keeps a state of its own."""

    def __init__(self, game: Game, state: State, line_up: tuple[str, ...]) -> None:
        """Begin at the opening `state`, which is owned from here on."""
        self.state = state
        self._game = game
        self._names = seat_names(line_up)
        self._width = len(max_name(self._names))
        self._count = 0
        self._last_seat: Seat | None = None

    def hear(self, actions: Iterable[PlayedAction], *, silent: bool = False) -> None:
        """Tell the next actions, in order, and play them; a `silent` one is only played."""
        for played in actions:
            action = self._game.parse(played.action)
            if not silent:
                name = self._names[played.seat] if played.seat != self._last_seat else ""
                sentence = self._game.tell(self.state, action)
                click.echo(told_action(self._count, name, sentence, played, self._width))
                tell_picture(self._game, action, self._width)
            self.state.apply(action)
            self._count += 1
            self._last_seat = played.seat

    @property
    def told(self) -> int:
        """How many actions were played here."""
        return self._count


def seat_names(line_up: tuple[str, ...]) -> tuple[str, ...]:
    """Return the entrants' names, each in its seat's colour."""
    return tuple(click.style(name, fg=SEAT_COLOURS[seat % len(SEAT_COLOURS)]) for seat, name in enumerate(line_up))


def max_name(names: tuple[str, ...]) -> str:
    """Return the longest of coloured names, without its colour."""
    return max((click.unstyle(name) for name in names), key=len)


def told_options(options: Mapping[str, OptionValue]) -> str:
    """Return options as ` (side advanced, ...)`, nothing when there are none."""
    told = ", ".join(f"{name} {value}" for name, value in options.items() if value != "")
    return f" ({told})" if told else ""


def told_action(index: int, name: str, sentence: str, played: PlayedAction, width: int) -> str:
    """Return the line of one action; `name` is empty while the same seat goes on."""
    padding = " " * (width - len(click.unstyle(name)))
    why = f"  {dim(f'({_WHY[played.source]})')}" if played.source in _WHY else ""
    return f"{dim(f'{index:4}')}  {name}{padding}  {sentence}{why}"


def tell_picture(game: Game, action: Action, width: int) -> None:
    """Print what an action builds, below its sentence."""
    for line in game.picture(action).splitlines():
        click.echo(f"{'':{width + 8}}    {line}".rstrip())


def tell_fault(name: str, fault: Fault) -> None:
    """Print a fault with its evidence and advice."""
    cost = "forfeits" if fault.forfeits else "spends a strike"
    click.echo(f"      {name} {click.style(f'{cost}: {fault.verdict.value}', fg='red')}: {fault.reason}")
    if fault.exit_status and fault.exit_status not in fault.reason:
        click.echo(f"        it ended with {fault.exit_status}")
    if fault.advice:
        click.echo(f"        advice: {fault.advice}")
    for line in last_lines(fault.stderr_tail, 10):
        click.echo(dim(f"        stderr: {line}"))


def tell_result(record: Record) -> None:
    """Print places and scores, by category where the game has any."""
    if not record.places:
        click.echo(f"{record.termination.value}: no result")
        return
    order = sorted(range(len(record.line_up)), key=lambda seat: (record.places[seat], seat))
    names = seat_names(record.line_up)
    rows = [
        [f"{record.places[seat]}.", names[seat], str(record.scores[seat])]
        + [str(points[seat]) for points in record.categories.values()]
        for seat in order
    ]
    print_table(["place", "entrant", "score", *record.categories], rows)
