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

    @classmethod
    def start(cls, control: Clock) -> SeatClock:
        """Return the clock as it stands before the first request."""
        return cls(control, None if control.bank_ms is None else control.bank_ms * US_PER_MS, control.strikes)

    @property
    def allowed_us(self) -> int | None:
        """The limit of a request that is made now, without the margin; None for no limit."""
        per_action = self.control.per_action_ms
        if per_action is None:
            return self.bank_us
        limit = per_action * US_PER_MS
        return limit if self.bank_us is None else min(limit, self.bank_us)

    @property
    def tolerated_us(self) -> int | None:
        """The limit with its margin: an answer that takes longer is late."""
        allowed = self.allowed_us
        return None if allowed is None else allowed + self.control.margin_ms * US_PER_MS

    @property
    def wall_bound_us(self) -> int | None:
        """The wall time after which a request is late whatever was counted."""
        allowed = self.allowed_us
        if allowed is None:
            return None
        factor = self.control.cpu_wall_factor if self.control.kind is ClockKind.CPU else 1
        return allowed * factor + self.control.margin_ms * US_PER_MS

    def answered(self, spent_us: int) -> None:
        """Charge an answer that came in time and add the increment."""
        if self.bank_us is not None:
            self.bank_us -= min(spent_us, self.bank_us)
            self.bank_us += self.control.increment_ms * US_PER_MS

    def missed(self) -> bool:
        """Charge a request that was not answered in time; return whether a strike was left to pay for it."""
        allowed = self.allowed_us
        if self.bank_us is not None and allowed is not None:
            self.bank_us -= allowed
        return self.strike()

    def strike(self) -> bool:
        """Spend a strike; return whether there was one."""
        if self.strikes_left == 0:
            return False
        self.strikes_left -= 1
        return True
