"""The clock of one seat: what a request may take, what it is charged. Pure; all times are integer microseconds.

The limit of a request is the smaller of `per_action_ms` and what is left on the bank. An overrun within the
margin is tolerated and not charged, an answered request earns the increment, and one request is one charge
however many actions come back. So the thinking time of a match never exceeds
``bank + answered * increment + requests * margin`` with a bank and ``requests * (per_action + margin)`` without.
"""

from __future__ import annotations

import attrs

from arena.referee.settings import Clock, ClockKind

US_PER_MS = 1000


def to_ms(us: int) -> int:
    """Return whole milliseconds, rounded down; what is shown to a bot never promises more than it has."""
    return us // US_PER_MS


@attrs.define
class SeatClock:
    """The time left to one seat of one match."""

    control: Clock
    bank_us: int | None
    strikes_left: int
    allowed_us: int | None = attrs.field(init=False)  #: the limit of a request made now, margin not included
    wall_bound_us: int | None = attrs.field(init=False)  #: wall time after which it is late whatever was counted

    def __attrs_post_init__(self) -> None:
        self._set_limits()

    @classmethod
    def start(cls, control: Clock) -> SeatClock:
        """Return the clock as it stands before the first request."""
        return cls(control, None if control.bank_ms is None else control.bank_ms * US_PER_MS, control.strikes)

    @property
    def tolerated_us(self) -> int | None:
        """The limit with its margin: an answer that takes longer is late."""
        allowed = self.allowed_us
        return None if allowed is None else allowed + self.control.margin_ms * US_PER_MS

    def answered(self, spent_us: int) -> None:
        """Charge an answer that came in time and add the increment."""
        if self.bank_us is not None:
            self.bank_us -= min(spent_us, self.bank_us)
            self.bank_us += self.control.increment_ms * US_PER_MS
            self._set_limits()

    def missed(self) -> bool:
        """Charge a request that was not answered in time; return whether a strike was left to pay for it."""
        allowed = self.allowed_us
        if self.bank_us is not None and allowed is not None:
            self.bank_us -= allowed
            self._set_limits()
        return self.strike()

    def strike(self) -> bool:
        """Spend a strike; return whether there was one."""
        if self.strikes_left == 0:
            return False
        self.strikes_left -= 1
        return True

    def _set_limits(self) -> None:
        control = self.control
        allowed = None if control.per_action_ms is None else control.per_action_ms * US_PER_MS
        if self.bank_us is not None and (allowed is None or self.bank_us < allowed):
            allowed = self.bank_us
        factor = control.cpu_wall_factor if control.kind is ClockKind.CPU else 1
        self.allowed_us = allowed
        self.wall_bound_us = None if allowed is None else allowed * factor + control.margin_ms * US_PER_MS
