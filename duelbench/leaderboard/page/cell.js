"use strict";
// What stands behind one number: its curve, its runs, its line of the spec, and the commands that play it again.

const SVG = "http://www.w3.org/2000/svg";
const HIGH = 320, EDGE = { left: 66, right: 16, top: 10, bottom: 40 };
const MOST_OTHERS = 2;

// The curve of a cell up to its horizon: its own, or that of the longer runs it is read from.
function curveOf(board, cell, regret) {
  const longer = board.cells.filter((one) => one.problem === cell.problem && one.algorithm === cell.algorithm
    && one.experiment === cell.experiment && one.horizon >= cell.horizon && one.curve && one.curve[regret]);
  const found = longer.sort((a, b) => a.horizon - b.horizon)[0];
  if (!found) return null;
  const rounds = board.rounds[found.rounds] || [];
  const points = rounds.map((t, k) => [t, found.curve[regret][k]]);
  return points.filter(([t, value]) => t <= cell.horizon && Number.isFinite(value));
}

function shape(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// At most five round numbers from 0 to the largest value.
function steps(most) {
  const size = 10 ** Math.floor(Math.log10(most / 4));
  const step = [1, 2, 5, 10].map((k) => k * size).find((width) => most / width <= 5);
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, k) => k * step);
}

// lines: [{ name, points: [[round, value], ...] }]; as wide as the window allows, so that its letters stay as they are.
function drawn(lines, label) {
  const wide = Math.max(300, Math.min(820, window.innerWidth - 48));
  const first = Math.min(...lines.map(({ points }) => points[0][0]));
  const last = Math.max(...lines.map(({ points }) => points[points.length - 1][0]));
  const most = Math.max(...lines.flatMap(({ points }) => points.map(([, value]) => value))) || 1;
  const across = (t) => EDGE.left + (wide - EDGE.left - EDGE.right) * Math.log(t / first) / (Math.log(last / first) || 1);
  const up = (value) => HIGH - EDGE.bottom - (HIGH - EDGE.top - EDGE.bottom) * value / most;
  const svg = shape("svg", { class: "curve", viewBox: `0 0 ${wide} ${HIGH}`, role: "img", "aria-label": label });
  for (const value of steps(most)) {
    svg.append(shape("line", { x1: EDGE.left, x2: wide - EDGE.right, y1: up(value), y2: up(value) }),
      shape("text", { x: EDGE.left - 6, y: up(value) + 4, "text-anchor": "end" }, number(value)));
  }
  for (let t = 10 ** Math.ceil(Math.log10(first) - 1e-9); t <= last; t *= 10) {
    svg.append(shape("text", { x: across(t), y: HIGH - EDGE.bottom + 18, "text-anchor": "middle" }, power(t)));
  }
  svg.append(shape("text", { x: (EDGE.left + wide - EDGE.right) / 2, y: HIGH - 4, "text-anchor": "middle" }, "round"));
  for (const { name, points } of lines) {
    const at = points.map(([t, value]) => [across(t).toFixed(1), up(value).toFixed(1)]);
    svg.append(shape("polyline", { class: name, points: at.map((place) => place.join(",")).join(" ") }));
    if (name === "own") svg.append(...at.map(([x, y]) => shape("circle", { cx: x, cy: y, r: 3.5 })));
  }
  return svg;
}

function sample(name, text) {
  const piece = shape("svg", { class: "curve", viewBox: "0 0 38 12", "aria-hidden": "true" },
    shape("polyline", { class: name, points: "0,6 38,6" }));
  return element("li", {}, piece, element("span", {}, text));
}

// Others with a curve to the same horizon on the same problem, those with the least regret first.
function bestOthers(board, cell, regret) {
  return board.cells
    .filter((one) => one.problem === cell.problem && one.horizon === cell.horizon && one !== cell && numbersOf(one, regret))
    .sort((a, b) => numbersOf(a, regret).mean - numbersOf(b, regret).mean)
    .map((one) => ({ text: board.algorithms[one.algorithm].label, points: curveOf(board, one, regret) }))
    .filter(({ points }) => points && points.length > 1)
    .slice(0, MOST_OTHERS)
    .map((one, k) => ({ ...one, name: `other-${k}` }));
}

function figureOf(board, cell, regret) {
  const points = curveOf(board, cell, regret);
  if (!points || points.length < 2) return element("p", { class: "small" }, "There is no curve of this cell.");
  const problem = board.problems[cell.problem], label = board.algorithms[cell.algorithm].label;
  const lines = bestOthers(board, cell, regret);
  if (regret === "copeland" && problem.bound) {
    const bound = points.map(([t]) => [t, problem.bound * Math.log(t)]);
    lines.push({ name: "bound", text: `C* ln t, C* = ${number(problem.bound)}`, points: bound });
  }
  lines.push({ name: "own", text: label, points });
  return element("figure", {}, drawn(lines, `Mean regret of ${label} over time, on a logarithmic time axis`),
    element("figcaption", {}, `Mean cumulative ${named(regret)} regret in duels; grey are the others with the least regret here.`,
      element("ul", { class: "legend" }, ...[...lines].reverse().map(({ name, text }) => sample(name, text)))));
}

// A word of a command line as a shell takes it.
function word(text) {
  return /^[A-Za-z0-9_.,:\/=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function commandsOf(board, cell) {
  const scale = cell.scale ? ` --scale ${word(cell.scale)}` : "";
  const { name } = board.problems[cell.problem], { label, plug_in } = board.algorithms[cell.algorithm];
  const plugIn = plug_in ? ` --plug-in ${word(plug_in)}` : "";
  return [
    `duelbench run ${word(cell.spec ?? "")}${scale} --problem ${word(name)} --only ${word(label)} --out again${plugIn}`,
    `duelbench verify again/${word(cell.experiment)} --against leaderboard${plugIn}`,
  ];
}

function fact(name, value, attributes = {}) {
  return value === null || value === undefined || value === "" ? []
    : [element("dt", {}, name), element("dd", attributes, String(value))];
}

// What to expect of runs that are longer than the cell.
function readOnTheWay(board, cell) {
  const last = Math.max(...(board.rounds[cell.rounds] || []));
  return last > cell.horizon ? [element("p", { class: "small on-the-way" },
    `This plays to ${power(last)} rounds; the number after ${power(cell.horizon)} rounds is read on the way.`)] : [];
}

function panelOf(board, cell, regret) {
  const problem = board.problems[cell.problem], algorithm = board.algorithms[cell.algorithm];
  const numbers = numbersOf(cell, regret);
  const [again, compare] = commandsOf(board, cell);
  const close = element("button", { type: "button" }, "Close");
  close.addEventListener("click", () => document.getElementById("cell").close());
  return [
    element("div", { class: "top" },
      element("h2", { id: "cell-title" }, `${algorithm.label} on ${problem.name} after ${power(cell.horizon)} rounds`), close),
    figureOf(board, cell, regret),
    element("dl", {},
      ...fact("runs", cell.runs),
      ...fact("mean regret", `${number(numbers.mean)} ± ${number(numbers.mean * numbers.error)} (standard error)`),
      ...fact("median", number(numbers.median)),
      ...fact("95% quantile", number(numbers.q95)),
      ...fact("largest", number(numbers.most)),
      ...fact("right", share(cell.right)),
      ...fact("locked in", share(cell.locked_in)),
      ...fact("arms", problem.n_arms),
      ...fact("winners, from 0", (problem.winners || []).join(", ")),
      ...fact("assumes", algorithm.assumes),
      ...fact("trace version", algorithm.trace_version),
      ...fact("reference", algorithm.reference)),
    element("h3", {}, `In ${cell.spec ?? "its spec"}${cell.scale ? `, scale ${cell.scale}` : ""}`),
    element("pre", {}, `problems:\n  ${problem.name}: ${problem.yaml}\nalgorithms:\n  - ${algorithm.yaml}`),
    ...(cell.spec ? [
      element("h3", {}, "Play these runs again"),
      element("pre", { class: "again" }, again),
      ...readOnTheWay(board, cell),
      element("h3", {}, "Compare them with this leaderboard"),
      element("pre", { class: "compare" }, compare),
      element("p", { class: "small" }, "It says whether your runs are the leaderboard's to the last bit. With other versions or another kind of machine they may not be, and then it says how many standard errors the means lie apart. The leaderboard is the one that comes with duelbench; on a page of your own, name its leaderboard.json after --against."),
    ] : []),
    element("dl", {},
      ...fact("digest of the runs", cell.digest, { class: "digest" }),
      ...fact("digest of the matrix", problem.sha256, { class: "digest" })),
  ];
}
