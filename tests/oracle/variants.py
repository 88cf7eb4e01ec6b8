"""Other editions, made from the text of the shipped file by changing values."""

from __future__ import annotations

import re

from tests.oracle.edition import SHIPPED

#: Every value of every ruling that is not the shipped one, as it stands in a file.
OTHER_RULINGS = [
    ("wheel_turns", '"anticlockwise"'),
    ("special_move", '"any"'),
    ("token_laid", '"before"'),
    ("token_spaces", '"one_per_player"'),
    ("base_levels", '"lowest_only"'),
    ("exhibition_levels", '"at_least"'),
    ("prizes_by", '"builders"'),
    ("prize_ties", '"turn_order"'),
    ("size_token_ties", '["turn_order"]'),
    ("size_token_ties", '["nobody"]'),
    ("variety_counts", '["prize", "tile", "size_token"]'),
    ("variety_counts", '["prize", "tile", "action_token"]'),
    ("variety_counts", '["prize", "tile", "size_token", "action_token"]'),
    ("first_player", '"stays"'),
    ("final_ties", '["regions", "prize_points", "shared"]'),
    ("final_ties", '["prize_points", "shared"]'),
    ("final_ties", '["regions", "shared"]'),
    ("final_ties", '["shared"]'),
]


def changed(values: dict[str, str], text: str | None = None) -> str:
    """Return the text of an edition with other values; a key must stand once, at the start of a line."""
    text = SHIPPED.read_text(encoding="utf-8") if text is None else text
    for key, value in values.items():
        old = rf"^{key} = (?:\[\s*(?:#[^\n]*)?\n.*?^\]|[^\n]*?)(?=\s*(?:#[^\n]*)?$)"
        text, number = re.subn(old, f"{key} = {value}", text, count=1, flags=re.MULTILINE | re.DOTALL)
        assert number == 1, f"no {key} in the edition"
    return text


#: Towers are easily built, prizes and castellers run out, and nearly every number is another one.
EASY = {
    "name": '"easy"',
    "starting_team": "9",
    "special_action_tokens": "3",
    "castellers_per_region": "{ 2 = 5, 3 = 5, 4 = 5 }",
    "count_by_size": "[9, 12, 3, 9, 12, 9, 12, 3, 15, 6]",
    "tiles": '["balance", "mix", "mix", "strength", "special", "width", "base", "balance"]',
    "highest_rank": "3",
    "festival_least_levels": "2",
    "width_limit": "2",
    "held_per_round": "{ 2 = 2, 3 = 1, 4 = 2 }",
    "tokens_per_festival": "1",
    "prizes": '{ 2 = ["trophy", "medal"], 3 = ["trophy", "ribbon"], 4 = ["trophy", "trophy", "medal", "ribbon"] }',
    "prize_supply": "{ trophy = 3, medal = 2, ribbon = 2 }",
    "prize_points": "{ trophy = 4, medal = 3, ribbon = 2 }",
    "variety": "[0, 1, 2, 4, 6, 9, 11, 12]",
    "size_token_first": "3",
    "size_token_repeat": "2",
    "special_action_token": "2",
    "refill_at_start_of": "[2, 6, 9]",
}

#: Another map, another calendar, another order of regions and slots.
ELSEWHERE = {
    "name": '"elsewhere"',
    "regions": '["vilanova", "lleida", "valls", "barcelona", "vilafranca", "girona", "tarragona"]',
    "borders": """[["vilanova", "lleida"], ["lleida", "valls"], ["valls", "barcelona"],
        ["barcelona", "vilafranca"], ["vilafranca", "girona"]]""",
    "dotted": '[["girona", "tarragona"], ["tarragona", "vilanova"], ["valls", "girona"]]',
    "slots": '["lleida", "girona", "everywhere", "barcelona", "vilanova", "tarragona", "vilafranca", "valls"]',
    "calendar": '{ 2 = ["I", "I", "I"], 3 = ["I"], 5 = ["I", "I", "I"], 6 = ["II", "II", "II"], '
    '8 = ["II", "II"], 9 = ["II", "II"] }',
    "count": "9",
    "festival_least_levels": "3",
    "refill_at_start_of": "[2, 4, 6, 8]",
}
