// Draws Castell: the map with castellers, tiles, tokens and pawns, the wheel, the calendar, the players, and towers as
// people who stand on each other. What it is given is described in scene.py; how it is called in docs/web.md.
"use strict";
(() => {
  const { svg, html } = arena;
  const KINDS = ["balance", "base", "mix", "strength", "width", "special"];
  const AWARDS = {
    trophy: "M-6 -8H6V-6H9Q9 0 4.6 1Q3 4 1.4 4.4V7H5V9H-5V7H-1.4V4.4Q-3 4 -4.6 1Q-9 0 -9 -6H-6Z",
    medal: "M-5 -9H-1L0 -5L1 -9H5L2.6 -2.4A6 6 0 1 1 -2.6 -2.4Z",
    ribbon: "M0 -9A5 5 0 0 1 4 -1L6 9L0 5L-6 9L-4 -1A5 5 0 0 1 0 -9Z",
  };
  const CARD = { w: 300, h: 186 };
  // Where regions lie: columns and rows. Regions that no map knows fill the places that are left.
  const WIDE = { lleida: [0, 0], girona: [2, 0], valls: [0, 1], vilafranca: [1, 1], barcelona: [2, 1], tarragona: [0, 2], vilanova: [1, 2] };
  const SPARE = [[2, 2], [0, 3], [1, 3], [2, 3], [0, 4], [1, 4], [2, 4]];
  const NARROW = { lleida: [0, 0], girona: [1, 0], vilafranca: [0, 1], barcelona: [1, 1], valls: [0, 2], vilanova: [1, 2], tarragona: [0, 3] };
  const NARROW_SPARE = [[1, 3], [0, 4], [1, 4], [0, 5], [1, 5], [0, 6], [1, 6]];
  const title = (word) => word.charAt(0).toUpperCase() + word.slice(1);
  const seatColour = (seat) => `var(--seat${seat % 6})`;

  // ---- people -------------------------------------------------------------------------------------------------
  const tall = (size) => 25 + size * 4;
  const broad = (size) => 13 + size * 1.25;

  // A casteller with its feet at (x, y): white trousers, a black sash, a shirt in its team's colour, arms raised.
  function person(parent, x, y, size, colour, extra = {}, grown = 1) {
    const h = tall(size) * grown, w = broad(size) * grown;
    const g = svg("g", { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`, class: "person", ...extra }, parent);
    const hip = -h * 0.4, neck = -h * 0.77, head = h * 0.115, f = (value) => value.toFixed(1);
    svg("path", { d: `M${f(-w * 0.15)} 0V${f(hip)}M${f(w * 0.15)} 0V${f(hip)}`, stroke: "var(--stone)", "stroke-width": f(w * 0.29), fill: "none" }, g);
    svg("path", { d: `M${f(-w * 0.15)} -0.6V${f(hip)}M${f(w * 0.15)} -0.6V${f(hip)}`, stroke: "var(--cloth)", "stroke-width": f(w * 0.24), fill: "none" }, g);
    svg("path", { d: `M${f(-w * 0.34)} ${f(neck + h * 0.06)}L${f(-w * 0.46)} ${f(neck - h * 0.04)}L${f(-w * 0.38)} ${f(-h * 0.97)}M${f(w * 0.34)} ${f(neck + h * 0.06)}L${f(w * 0.46)} ${f(neck - h * 0.04)}L${f(w * 0.38)} ${f(-h * 0.97)}`, fill: "none", stroke: colour, "stroke-width": f(w * 0.15), "stroke-linecap": "round", "stroke-linejoin": "round" }, g);
    svg("path", { d: `M${f(-w * 0.27)} ${f(hip)}L${f(-w * 0.38)} ${f(neck + h * 0.03)}Q0 ${f(neck - h * 0.05)} ${f(w * 0.38)} ${f(neck + h * 0.03)}L${f(w * 0.27)} ${f(hip)}Z`, fill: colour }, g);
    svg("rect", { x: f(-w * 0.29), y: f(hip - h * 0.04), width: f(w * 0.58), height: f(h * 0.09), rx: 1, fill: "var(--sash)" }, g);
    svg("circle", { cx: 0, cy: f(neck - head * 0.85), r: f(head), fill: "var(--skin)" }, g);
    svg("path", { d: `M${f(-head)} ${f(neck - head)}A${f(head)} ${f(head)} 0 0 1 ${f(head)} ${f(neck - head)}Z`, fill: "var(--hair)" }, g);
    svg("text", { x: 0, y: f(hip - h * 0.1), "text-anchor": "middle", "font-size": f(Math.max(8.5, h * 0.2)), "font-weight": 700, fill: "#fff" }, g).textContent = size;
    return g;
  }

  // A tower standing on (x, y), levels ground first; returns its height.
  function tower(parent, x, y, levels, colour, shown = []) {
    let feet = y;
    const layers = levels.map((level) => {
      const here = { level, feet };
      feet -= Math.min(...level.map(tall)) * 0.74;
      return here;
    });
    for (const { level, feet: at } of layers.reverse()) {
      const widths = level.map((size) => broad(size) * 1.12), whole = widths.reduce((a, b) => a + b, 0);
      let left = x - whole / 2;
      level.forEach((size, i) => {
        const g = person(parent, left + widths[i] / 2, at, size, colour);
        if (shown.includes(size)) g.classList.add("shown");
        left += widths[i];
      });
    }
    return y - feet + 30;
  }

  const readTower = (text) => text.split("/").map((level) => level.trim().split(/\s+/).map(Number));
  const towerOf = (action) => {
    const found = /^(?:(compete)|(?:special|wheel) perform #(\d+)) (.+)$/.exec(action);
    return found && { tile: found[2] ? Number(found[2]) : null, levels: readTower(found[3]) };
  };
  const heightOf = (levels) => levels.reduce((sum, level) => sum + Math.min(...level.map(tall)) * 0.74, 0) + 36;
  const widthOf = (levels) => Math.max(...levels.map((level) => level.reduce((sum, size) => sum + broad(size) * 1.12, 0)));

  // ---- small things --------------------------------------------------------------------------------------------
  function icon(parent, kind, x, y, size) {
    const g = svg("g", { transform: `translate(${x} ${y}) scale(${size / 20})`, class: `kind ${kind}` }, parent);
    svg("circle", { cx: 0, cy: 0, r: 10, class: "disc" }, g);
    const line = (d) => svg("path", { d, class: "mark" }, g);
    if (kind === "balance") line("M-5 -3.5h10M-5 3.5h10M0 -3.5v7");
    if (kind === "base") line("M-2 -4h4M-4 0h8M-6.5 4h13");
    if (kind === "mix") { svg("circle", { cx: -2.6, cy: 1, r: 4, class: "mark" }, g); svg("circle", { cx: 3.4, cy: -0.8, r: 2.8, class: "mark" }, g); }
    if (kind === "strength") line("M-6 0h12M-4.5 -3.5v7M4.5 -3.5v7");
    if (kind === "width") line("M-6 0h12M-3.5 -3L-6.3 0L-3.5 3M3.5 -3L6.3 0L3.5 3");
    if (kind === "special") svg("path", { d: "M0 -6L1.7 -1.9L6 -1.7L2.7 1.2L3.7 5.5L0 3.1L-3.7 5.5L-2.7 1.2L-6 -1.7L-1.7 -1.9Z", class: "star" }, g);
    svg("title", {}, g).textContent = kind;
    return g;
  }
  const tileName = (tile, number) => `tile #${number}: ${tile.shape.length ? `shape ${tile.shape.join("-")}` : `shows ${tile.skills.join(" and ")} on ${tile.points} levels`}, ${tile.points} points`;
  function drawTile(parent, x, y, number, tile) {
    const g = svg("g", { transform: `translate(${x} ${y})`, class: "tile" }, parent);
    svg("rect", { width: 64, height: 92, rx: 7, class: "paper" }, g);
    svg("title", {}, g).textContent = tileName(tile, number);
    tile.shape.forEach((count, level) => {
      for (let i = 0; i < count; i += 1) svg("circle", { cx: 32 + (i - (count - 1) / 2) * 10, cy: 62 - level * 10.5, r: 4.4, class: "block" }, g);
    });
    tile.skills.forEach((skill, i) => icon(g, skill, 32 + (i - (tile.skills.length - 1) / 2) * 20, 40, tile.skills.length > 2 ? 18 : 21));
    svg("text", { x: 8, y: 85, class: "small" }, g).textContent = `#${number}`;
    svg("text", { x: 56, y: 86, class: "value", "text-anchor": "end" }, g).textContent = tile.points;
    return g;
  }
  function award(parent, kind, x, y, size) {
    return svg("path", { d: AWARDS[kind] ?? AWARDS.medal, transform: `translate(${x} ${y}) scale(${size / 20})`, class: `award ${kind}` }, parent);
  }
  const pawnPath = "M-9 0Q-9 -4 -5 -6Q-4 -13 -3 -15A6 6 0 1 1 3 -15Q4 -13 5 -6Q9 -4 9 0Z";

  // ---- the map -------------------------------------------------------------------------------------------------
  function places(regions, narrow) {
    const known = narrow ? NARROW : WIDE, spare = [...(narrow ? NARROW_SPARE : SPARE)];
    const gapX = narrow ? 14 : 50, gapY = narrow ? 34 : 46, top = narrow ? 80 : 24;
    return regions.map((name) => {
      const [column, row] = known[name] ?? spare.shift() ?? [0, 0];
      return { x: 10 + column * (CARD.w + gapX), y: top + row * (CARD.h + gapY) };
    });
  }

  function drawMap(place, scene, table) {
    const narrow = place.clientWidth > 0 && place.clientWidth < 640, at = places(scene.regions, narrow);
    const wide = Math.max(...at.map((p) => p.x)) + CARD.w + 10, high = Math.max(...at.map((p) => p.y)) + CARD.h + (narrow ? 16 : 34);
    const root = svg("svg", { viewBox: `0 0 ${wide} ${high}`, class: "map", role: "group", "aria-label": "Map of the regions" });
    svg("rect", { width: wide, height: high, rx: 18, class: "sea" }, root);
    svg("path", { d: narrow ? `M0 18Q0 0 18 0H${wide - 18}Q${wide} 0 ${wide} 18V${high * 0.8}Q${wide * 0.9} ${high * 0.86} ${wide * 0.55} ${high * 0.93}T0 ${high}Z`
      : `M0 18Q0 0 18 0H${wide - 18}Q${wide} 0 ${wide} 18V${high * 0.63}Q${wide * 0.93} ${high * 0.66} ${wide * 0.78} ${high * 0.72}T${wide * 0.62} ${high - 14}Q${wide * 0.3} ${high} 18 ${high}Q0 ${high} 0 ${high - 18}Z`, class: "land" }, root);
    const middle = (i) => ({ x: at[i].x + CARD.w / 2, y: at[i].y + CARD.h / 2 });
    const road = (a, b, cls) => {
      const from = middle(scene.regions.indexOf(a)), to = middle(scene.regions.indexOf(b));
      let d = `M${from.x} ${from.y}L${to.x} ${to.y}`;
      if (cls === "dotted" && !narrow && at[0]) d = `M${from.x} ${from.y}H${wide - 4}V${high - 12}H${to.x}V${to.y}`;
      else if (cls === "dotted") d = `M${from.x} ${from.y}H${wide - 3}V${to.y + 84}H${to.x}`;
      else if (!narrow && from.y === to.y && Math.abs(from.x - to.x) > 500) d = `M${from.x} ${from.y - 86}H${to.x}`;
      svg("path", { d, class: `road ${cls}` }, root);
    };
    scene.board.borders.forEach(([a, b]) => road(a, b, "plain"));
    scene.board.dotted.forEach(([a, b]) => road(a, b, "dotted"));
    if (narrow) drawWheelStrip(root, scene, wide); else drawWheel(root, scene, 10 + CARD.w + 50 + CARD.w / 2, 24 + CARD.h / 2 + 10);
    scene.regions.forEach((name, i) => drawRegion(root, scene, table, name, i, at[i]));
    if (narrow) drawBag(root, scene, 360, 80 + 3 * (CARD.h + 34) + 40); else drawBag(root, scene, 10 + 2 * (CARD.w + 50) + 22, 24 + 2 * (CARD.h + 46) + 30);
    return root;
  }

  function drawRegion(root, scene, table, name, i, at) {
    const visitors = scene.pawns.flatMap((where, seat) => (where === name ? [seat] : []));
    const tiles = scene.tiles[i], tokens = scene.laid[i];
    const said = [`${title(name)}: castellers ${scene.castellers[i].join(" ") || "none"}`, ...tiles.map((n) => tileName(scene.board.tiles[n - 1], n)),
      `wheel offers ${scene.offers[i].join(" or ")}`, ...visitors.map((seat) => `${table.names[seat]} is here`)];
    const festive = scene.festival !== null && scene.festivals[scene.festival][1] === name;
    const g = svg("g", { transform: `translate(${at.x} ${at.y})`, class: `region${festive ? " festive" : ""}`, role: "group", "aria-label": said.join("; ") }, root);
    const ground = svg("rect", { width: CARD.w, height: CARD.h, rx: 14, class: "ground" }, g);
    svg("text", { x: 14, y: 30, class: "name" }, g).textContent = title(name);
    scene.offers[i].forEach((kind, n) => icon(g, kind, CARD.w - 22 - n * 30, 23, 25));
    table.offer(ground, [`move ${name}`, `special move ${name}`, `wheel move ${name}`], `Move to ${title(name)}`);
    const room = CARD.w - 18 - 72 * tiles.length, grown = Math.min(1.3, room / scene.castellers[i].reduce((sum, size) => sum + broad(size) * 1.2, 1));
    let x = 12;
    scene.castellers[i].forEach((size) => {
      x += broad(size) * 0.6 * grown;
      const one = person(g, x, 148, size, "var(--nobody)", {}, grown);
      const picks = table.legal.filter((text) => /^(recruit|special recruit|wheel recruit) /.test(text) && text.split(" ").slice(1).includes(String(size)));
      if (visitors.includes(table.seat)) table.offer(one, picks, `Recruit a ${size}`);
      x += broad(size) * 0.6 * grown;
    });
    tiles.forEach((number, n) => {
      const drawn = drawTile(g, CARD.w - 74 - n * 70, 44, number, scene.board.tiles[number - 1]);
      if (visitors.includes(table.seat)) table.compose(drawn, table.legal.filter((text) => text.includes(` perform #${number} `)), `Perform tile #${number}`);
    });
    let spot = 22;
    tokens.forEach((count, seat) => { for (let n = 0; n < count; n += 1) { svg("circle", { cx: spot, cy: 168, r: 8, fill: seatColour(seat), class: "token" }, g); spot += 13; } });
    visitors.forEach((seat, n) => {
      const pawn = svg("g", { transform: `translate(${CARD.w - 26 - n * 30} 182) scale(1.5)`, class: `pawn${scene.to_act === seat ? " acting" : ""}` }, g);
      svg("path", { d: pawnPath, fill: seatColour(seat) }, pawn);
      svg("title", {}, pawn).textContent = table.names[seat];
    });
  }

  const facing = (scene, slot) => scene.wheel[(((slot + scene.board.turns * (scene.round - 1)) % scene.wheel.length) + scene.wheel.length) % scene.wheel.length];
  function drawWheel(root, scene, cx, cy) {
    const g = svg("g", { transform: `translate(${cx} ${cy})`, class: "wheel", role: "img", "aria-label": `The wheel in round ${scene.round}` }, root);
    const slots = scene.board.slots, step = 360 / slots.length, r = 86, point = (deg, radius) => [Math.cos((deg * Math.PI) / 180) * radius, Math.sin((deg * Math.PI) / 180) * radius];
    svg("circle", { r: r + 4, class: "rim" }, g);
    slots.forEach((slot, i) => {
      const angle = -90 + i * step, kind = facing(scene, i), [x1, y1] = point(angle - step / 2, r), [x2, y2] = point(angle + step / 2, r), [ix, iy] = point(angle, r * 0.7);
      svg("path", { d: `M0 0L${x1} ${y1}A${r} ${r} 0 0 1 ${x2} ${y2}Z`, class: "sector" }, g);
      icon(g, kind, ix, iy, 27);
      const [tx, ty] = point(angle, r + 11), side = Math.abs(tx) < 20 ? "middle" : tx > 0 ? "start" : "end";
      svg("text", { x: tx, y: ty + (Math.abs(tx) < 20 ? (ty < 0 ? -1 : 11) : 5), "text-anchor": side, class: "slot" }, g).textContent = slot === "everywhere" ? (scene.side === "standard" ? "all regions" : "no region") : title(slot);
    });
    svg("circle", { r: 30, class: "hub" }, g);
    svg("text", { y: 1, class: "round", "text-anchor": "middle" }, g).textContent = scene.round;
    svg("text", { y: 15, class: "tiny", "text-anchor": "middle" }, g).textContent = `of ${scene.board.rounds}`;
  }
  function drawWheelStrip(root, scene, wide) {
    const g = svg("g", { class: "wheel", role: "img", "aria-label": "The wheel" }, root), step = wide / scene.board.slots.length;
    scene.board.slots.forEach((slot, i) => {
      icon(g, facing(scene, i), step * (i + 0.5), 26, 34);
      svg("text", { x: step * (i + 0.5), y: 58, "text-anchor": "middle", class: "slot" }, g).textContent = slot === "everywhere" ? (scene.side === "standard" ? "all" : "none") : title(slot).slice(0, 8);
    });
  }
  function drawBag(root, scene, x, y) {
    const g = svg("g", { transform: `translate(${x} ${y})`, class: "bag" }, root);
    svg("text", { class: "note" }, g).textContent = `${scene.in_bag} castellers in the bag`;
    Object.entries(scene.prize_left).forEach(([kind, left], i) => {
      award(g, kind, 10, 26 + i * 27, 20);
      svg("text", { x: 28, y: 32 + i * 27, class: "note" }, g).textContent = `${left} ${kind === "trophy" ? "trophies" : `${kind}s`} left`;
    });
  }

  // ---- calendar, players, towers --------------------------------------------------------------------------------
  function drawCalendar(scene) {
    const list = html("ol", { class: "calendar", "aria-label": "Festival calendar" });
    for (let round = 1; round <= scene.board.rounds; round += 1) {
      const days = scene.festivals.map((f, i) => [f, i]).filter(([f]) => f[0] === round).slice(0, scene.board.held);
      const item = html("li", { class: round < scene.round ? "past" : round === scene.round ? "now" : "" }, list);
      html("b", {}, item).textContent = round;
      for (const [[, region, ...sizes], index] of days) {
        const over = round < scene.round || (round === scene.round && scene.phase === "festival" && index < scene.festival) || scene.phase === "over";
        const chip = html("span", { class: `festival${index === scene.festival ? " on" : ""}${over ? " over" : ""}` }, item);
        html("span", {}, chip).textContent = title(region);
        for (const size of sizes) html("i", { "aria-label": `size ${size}` }, chip).textContent = size;
      }
    }
    return list;
  }

  function drawPlayers(scene, table) {
    const box = html("div", { class: "players" });
    const totals = scene.points.map((row) => row.reduce((a, b) => a + b, 0)), best = Math.max(...totals);
    table.names.forEach((name, seat) => {
      const card = html("section", { class: `player${scene.to_act === seat ? " acting" : ""}`, "aria-label": name }, box);
      card.style.setProperty("--mine", seatColour(seat));
      const head = html("h3", {}, card);
      html("span", { class: "who" }, head).textContent = name;
      if (scene.first === seat) html("span", { class: "first", title: "first player" }, head).textContent = "1st";
      html("b", { class: totals[seat] === best && best > 0 ? "leads" : "" }, head).textContent = totals[seat];
      card.append(drawTeam(scene.teams[seat], seatColour(seat)));
      const skills = html("ul", { class: "skills", "aria-label": "Skills" }, card);
      scene.board.skills.forEach((skill, i) => {
        const rank = scene.ranks[seat][i], item = html("li", { title: `${skill}: rank ${rank}`, class: rank ? "" : "none" }, skills);
        icon(svg("svg", { viewBox: "-11 -11 22 22", width: 20, height: 20, "aria-hidden": "true" }, item), skill, 0, 0, 20);
        html("span", { class: "unseen" }, item).textContent = `${skill} `;
        html("span", {}, item).textContent = rank;
      });
      const left = html("li", { title: "special action tokens left" }, skills);
      html("span", { class: "tokendot" }, left); html("span", { class: "unseen" }, left).textContent = "tokens "; html("span", {}, left).textContent = scene.tokens[seat];
      const won = html("ul", { class: "won", "aria-label": "Won" }, card);
      const add = (text, hint) => { const item = html("li", { title: hint }, won); item.textContent = text; return item; };
      if (scene.best[seat]) add(`★ ${scene.best[seat]}`, "best festival score");
      for (const [kind, region] of scene.prizes[seat]) {
        const item = add(title(region), `${kind} in ${region}`), mark = svg("svg", { viewBox: "-10 -10 20 20", width: 14, height: 14, role: "img", "aria-label": kind });
        award(mark, kind, 0, 0, 20);
        item.prepend(mark);
      }
      for (const [tile, region] of scene.won[seat]) add(`#${tile} +${scene.board.tiles[tile - 1].points}`, `${tileName(scene.board.tiles[tile - 1], tile)}, in ${region}`);
      if (scene.size_tokens[seat].length) add(`sizes ${scene.size_tokens[seat].map(([size]) => size).sort((a, b) => a - b).join(" ")}`, "size tokens");
      const collected = scene.collected[seat].reduce((a, b) => a + b, 0);
      if (collected) add(`● ${collected}`, "special action tokens collected");
    });
    return box;
  }
  function drawTeam(counts, colour) {
    const sizes = counts.flatMap((count, i) => Array(count).fill(i + 1)).reverse();
    const gap = 0.98, wide = 330, rows = [[]];
    let x = 0;
    for (const size of sizes) {
      if (x + broad(size) * gap > wide) { rows.push([]); x = 0; }
      rows.at(-1).push([x + (broad(size) * gap) / 2 + 4, size]);
      x += broad(size) * gap + 1;
    }
    let y = 4;
    const root = svg("svg", { class: "team", role: "img", "aria-label": `Team: ${sizes.join(" ")}` });
    for (const row of rows) {
      y += row.length ? Math.max(...row.map(([, size]) => tall(size))) + 4 : 10;
      for (const [at, size] of row) person(root, at, y, size, colour);
    }
    root.setAttribute("viewBox", `0 0 ${wide + 8} ${y + 4}`);
    return root;
  }

  // Everything built at one place around this moment: a festival's towers in order, or the last performance.
  function builtNow(table) {
    const shown = [];
    for (let k = table.index - 1; k >= 0; k -= 1) {
      const { action, seat } = table.step(k), before = table.scene(k), found = towerOf(action);
      if (before.festival === null) { if (found && k === table.index - 1) shown.push({ seat, ...found, before }); break; }
      if (shown.length && shown[0].before.festival !== before.festival) break;
      if (shown.declined !== undefined && shown.declined !== before.festival) break;
      if (found) shown.unshift({ seat, ...found, before }); else shown.declined = before.festival;
    }
    return shown;
  }
  function scoreAt(levels, sizes) { return levels.length + levels.flat().filter((size) => sizes.includes(size)).length; }
  function drawPlaza(scene, table) {
    const built = builtNow(table), place = html("figure", { class: "plaza" });
    if (!built.length) { place.hidden = true; return place; }
    const festival = built[0].before.festival, at = festival === null ? null : built[0].before.festivals[festival], shownSizes = at ? at.slice(2) : [];
    const widths = built.map(({ levels }) => Math.max(130, widthOf(levels) + 36)), high = Math.max(150, ...built.map(({ levels }) => heightOf(levels))) + 12;
    const wide = widths.reduce((a, b) => a + b, 0);
    const root = svg("svg", { viewBox: `0 0 ${wide} ${high + 50}`, role: "img", "aria-label": built.map(({ seat, levels }) => `${table.names[seat]} built ${levels.map((l) => l.join(" ")).join(" / ")}`).join("; ") }, place);
    root.style.maxWidth = `${wide * 1.15}px`;
    svg("path", { d: `M0 ${high}H${wide}`, class: "street" }, root);
    let x = 0;
    built.forEach(({ seat, levels, tile }, i) => {
      tower(root, x + widths[i] / 2, high, levels, seatColour(seat), shownSizes);
      const points = tile ? `tile #${tile}: ${scene.board.tiles[tile - 1].points}` : `score ${scoreAt(levels, shownSizes)}`;
      svg("text", { x: x + widths[i] / 2, y: high + 20, "text-anchor": "middle", class: "who" }, root).textContent = table.names[seat];
      svg("text", { x: x + widths[i] / 2, y: high + 40, "text-anchor": "middle", class: "points" }, root).textContent = points;
      x += widths[i];
    });
    html("figcaption", {}, place).textContent = at ? `Festival in ${title(at[1])}, showing ${shownSizes.join(" and ")}` : "Local performance";
    return place;
  }

  // ---- a person builds a tower ------------------------------------------------------------------------------------
  // By clicking or dragging castellers, or by keys: digits pick a size (0 is 10), / or ArrowUp begins the next level, Backspace takes
  // back, Enter builds. The judge's sentence says what does not stand yet.
  function builder(scene, table, prefix, suggestion) {
    const dialog = html("dialog", { class: "builder", tabindex: -1, "aria-label": "Build a tower" }), levels = [[]];
    const left = () => scene.teams[table.seat].map((count, i) => count - levels.flat().filter((size) => size === i + 1).length);
    const text = () => levels.filter((level) => level.length).map((level) => [...level].sort((a, b) => b - a).join(" ")).join("/");
    html("h2", {}, dialog).textContent = prefix === "compete" ? "Your tower for the festival" : `Your tower for ${prefix.split(" ").at(-1)}`;
    const stage = html("div", { class: "site" }, dialog), sentence = html("p", { class: "judge", role: "status" }, dialog), hands = html("div", { class: "hands", role: "group", "aria-label": "Your castellers" }, dialog), row = html("p", { class: "row" }, dialog);
    const button = (label, act, cls = "") => { const b = html("button", { type: "button", class: cls }, row); b.textContent = label; b.addEventListener("click", act); return b; };
    const up = button("Next level (/)", () => next()), back = button("Take back (⌫)", () => undo());
    button("Show me one", () => { levels.splice(0, levels.length, ...readTower(suggestion)); draw(); });
    button("Leave", () => dialog.close());
    const build = button("Build (Enter)", () => { table.play(`${prefix} ${text()}`); dialog.close(); }, "strong build");
    function add(size) { if (left()[size - 1] > 0) { levels.at(-1).push(size); draw(); } }
    function next() { if (levels.at(-1).length) { levels.push([]); draw(); } }
    function undo() { if (levels.at(-1).length) levels.at(-1).pop(); else if (levels.length > 1) levels.pop(); draw(); }
    let asked = 0;
    async function draw() {
      const shown = levels.filter((level) => level.length).map((level) => [...level].sort((a, b) => b - a)), high = Math.max(190, shown.length ? heightOf(shown) : 0);
      const root = svg("svg", { viewBox: `-170 ${-high} 340 ${high + 8}`, role: "img", "aria-label": text() ? `So far: ${text()}` : "Nobody stands yet" });
      svg("path", { d: "M-160 1H160", class: "street" }, root);
      if (shown.length) tower(root, 0, 0, shown, seatColour(table.seat), scene.festival === null ? [] : scene.festivals[scene.festival].slice(2));
      stage.replaceChildren(root);
      const focused = document.activeElement?.dataset?.size;
      hands.replaceChildren();
      left().forEach((count, i) => {
        if (!scene.teams[table.seat][i]) return;
        const b = html("button", { type: "button", "aria-label": `Add a ${i + 1}, ${count} left`, "data-size": i + 1 }, hands);
        b.disabled = !count;
        person(svg("svg", { viewBox: `-16 -68 32 70`, width: 34, height: 74, "aria-hidden": "true" }, b), 0, 0, i + 1, seatColour(table.seat));
        html("span", {}, b).textContent = `×${count}`;
        b.addEventListener("click", () => add(i + 1));
        b.draggable = true;
        b.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/plain", String(i + 1)));
      });
      if (dialog.open) (hands.querySelector(`[data-size="${focused}"]:not(:disabled)`) ?? dialog).focus();
      up.disabled = !levels.at(-1).length; back.disabled = !levels[0].length; build.disabled = true;
      const mine = (asked += 1), why = text() ? await table.judge(`${prefix} ${text()}`) : "Pick the castellers of the ground level first.";
      if (mine !== asked) return;
      const action = `${prefix} ${text()}: `;
      sentence.textContent = (why.startsWith(action) ? title(why.slice(action.length)) : why) || "It stands!"; sentence.classList.toggle("stands", !why); build.disabled = Boolean(why);
    }
    dialog.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      if (/^[0-9]$/.test(event.key)) add(event.key === "0" ? 10 : Number(event.key));
      else if (event.key === "/" || event.key === "ArrowUp") next();
      else if (event.key === "Backspace") undo();
      else if (event.key === "Enter" && !row.contains(event.target) && !build.disabled) build.click();
      else return;
      event.preventDefault(); event.stopPropagation();
    });
    dialog.addEventListener("close", () => dialog.remove());
    stage.addEventListener("dragover", (event) => event.preventDefault());
    stage.addEventListener("drop", (event) => {
      event.preventDefault();
      const size = Number(event.dataTransfer.getData("text/plain"));
      if (size) add(size);
    });
    draw();
    return dialog;
  }

  arena.drawing("castell", (place, scene, table) => {
    table.builder = (prefix, suggestion) => builder(scene, table, prefix, suggestion);
    const left = html("div", { class: "castell-left" }), right = html("div", { class: "castell-right" });
    const board = html("div", { class: "castell-board" });
    left.append(board, drawCalendar(scene));
    right.append(drawPlaza(scene, table), drawPlayers(scene, table));
    place.classList.add("castell");
    place.replaceChildren(left, right);
    board.append(drawMap(board, scene, table));
    const competing = table.legal.find((text) => text.startsWith("compete "));
    if (competing) {
      const call = html("button", { type: "button", class: "strong", id: "compete" });
      call.textContent = "Build a tower for the festival";
      table.compose(call, table.legal.filter((text) => text.startsWith("compete ")), "Build a tower for the festival");
      right.prepend(call);
    }
  });
})();
