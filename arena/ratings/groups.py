"""Who can be compared with whom: entrants that met at a table, directly or through others."""

from __future__ import annotations

import numpy as np

from arena.ratings.choices import Design, Ints


def find_groups(design: Design) -> tuple[Ints, ...]:
    """Return the groups of entrants (parameters, rising) that are linked by shared tables, largest first.

    A match links nobody whom it does not order: seats that all forfeited say nothing about each other.
    """
    leader = list(range(len(design.names)))

    def find(entrant: int) -> int:
        while leader[entrant] != entrant:
            leader[entrant] = leader[leader[entrant]]
            entrant = leader[entrant]
        return entrant

    for sets in design.sets:
        for pair in np.unique(sets.entrants[:1] * len(leader) + sets.entrants[1:]).tolist():
            leader[find(pair // len(leader))] = find(pair % len(leader))
    members: dict[int, list[int]] = {}
    for entrant in range(len(design.names)):
        members.setdefault(find(entrant), []).append(entrant)
    ordered = sorted(members.values(), key=lambda group: (-len(group), group))
    return tuple(np.array(group, dtype=np.intp) for group in ordered)
