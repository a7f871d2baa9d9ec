"use strict";
// The view: what the reader has chosen, kept in the address, and the tables that follow from it.

const EMPTY = { horizons: [], regrets: [], settings: [], algorithms: [], problems: [], rounds: [], cells: [],
                correlations: {}, across: {}, left_out: [], choices: [], level: 0.95 };
const board = { ...EMPTY, ...JSON.parse(document.getElementById("summary").textContent) };
const cellAt = new Map(board.cells.map((cell) => [[cell.problem, cell.algorithm, cell.horizon].join(), cell]));
const get = (id) => document.getElementById(id);

// ---- Texts and elements

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== false) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function number(value) {
  if (!Number.isFinite(value)) return "–";
  return value.toLocaleString("en", { maximumSignificantDigits: Math.abs(value) < 1e3 ? 3 : 4 });
}

function times(value) {
  return value < 10 ? value.toFixed(2) : number(value);
}

function share(value) {
  return Number.isFinite(value) ? `${(100 * value).toLocaleString("en", { maximumFractionDigits: 2 })}%` : "–";
}

function power(value) {
  const digits = Math.round(Math.log10(value));
  if (value < 1000 || 10 ** digits !== value) return value.toLocaleString("en");
  return `10${[...String(digits)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("")}`;
}

function named(regret) {
  return { copeland: "Copeland", borda: "Borda" }[regret] ?? regret;
}

function counted(count, noun, nouns = `${noun}s`) {
  return `${count} ${count === 1 ? noun : nouns}`;
}

// ---- What is chosen

function chosen() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const among = (values, text) => values.find((value) => String(value) === text) ?? values[0];
  const setting = among(board.settings.map(({ id }) => id), asked.get("setting"));
  const own = problemsOf(setting);
  const ticked = own.filter((p) => asked.getAll("matrix").includes(board.problems[p].name));
  return {
    setting,
    horizon: among(board.horizons, asked.get("horizon")),
    regret: among(board.regrets, asked.get("regret")),
    problems: asked.has("matrix") ? ticked : own,
    find: asked.get("find") ?? "",
    anytime: asked.has("anytime"),
    sort: asked.get("sort") ?? "rank",
    down: asked.has("down"),
    cell: asked.has("on") ? [asked.get("on"), asked.get("by") ?? ""] : null,
  };
}

function problemsOf(setting) {
  return board.problems.map((_, p) => p).filter((p) => board.problems[p].setting === setting);
}

function goTo(changes) {
  const view = { ...chosen(), ...changes };
  const asked = new URLSearchParams({ setting: view.setting, horizon: view.horizon, regret: view.regret });
  if (view.problems.length < problemsOf(view.setting).length) {
    for (const p of view.problems.length ? view.problems : [null]) {
      asked.append("matrix", p === null ? "" : board.problems[p].name);
    }
  }
  if (view.find) asked.set("find", view.find);
  if (view.anytime) asked.set("anytime", "1");
  if (view.sort !== "rank") asked.set("sort", view.sort);
  if (view.down) asked.set("down", "1");
  if (view.cell) {
    asked.set("on", view.cell[0]);
    asked.set("by", view.cell[1]);
  }
  history.replaceState(null, "", `#${asked}`);
  show();
}

// ---- Numbers

// The numbers of a cell by their names; nothing where the regret was not recorded.
function numbersOf(cell, regret) {
  const [mean, error, skewness, median, q95, most] = cell?.regret?.[regret] ?? [];
  return Number.isFinite(mean) ? { mean, error, skewness, median, q95, most } : null;
}

const decoded = new Map();

// Correlations of a matrix at a horizon as a function of two algorithms.
function correlationsOf(p, horizon, regret) {
  const key = `${p}/${horizon}/${regret}`;
  if (!decoded.has(key)) {
    const bytes = Int8Array.from(atob(board.correlations[key] ?? ""), (one) => one.charCodeAt(0));
    const there = board.algorithms.map((_, a) => a).filter((a) => numbersOf(cellAt.get([p, a, horizon].join()), regret));
    const place = new Map(there.map((a, k) => [a, k]));
    decoded.set(key, (a, b) => {
      if (a === b) return 1;
      const [i, j] = [place.get(a), place.get(b)].sort((x, y) => x - y);
      return (bytes[i * place.size - i * (i + 1) / 2 + j - i - 1] ?? 0) / 100;
    });
  }
  return decoded.get(key);
}

// How far an algorithm's runs of one number go together on different matrices. It is known of all matrices and of those
// of a size; of others that the reader ticks, the largest of these is taken.
function acrossOf({ setting, horizon, regret, problems }) {
  const known = (key) => board.across[`${setting}/${key}/${horizon}/${regret}`] ?? [];
  const sets = ["all", "small", "large"];
  const exact = sets.find((key) => String(setOf(setting, key)) === String(problems));
  return (a) => Math.max(0, ...(exact ? [exact] : sets).map((key) => known(key)[a] ?? 0));
}

// What the table is made from: algorithms with a number on every matrix that has any, and those without. Matrices on
// which somebody has no regret at all do not count: no number of times is as much regret as none.
function tableOf({ setting, horizon, regret, problems }) {
  const at = (a, p) => cellAt.get([p, a, horizon].join());
  const of = (a, p) => numbersOf(at(a, p), regret);
  const all = board.algorithms.map((_, a) => a);
  const played = problems.filter((p) => all.some((a) => of(a, p)));
  const empty = problems.filter((p) => !played.includes(p));
  const present = all.filter((a) => played.some((p) => of(a, p)));
  const ranked = present.filter((a) => played.every((p) => of(a, p) && at(a, p).runs > 1));
  const zero = played.filter((p) => ranked.some((a) => of(a, p).mean <= 0));
  const used = played.filter((p) => !zero.includes(p));
  const grid = (value) => ranked.map((a) => used.map((p) => value(a, p)));
  const scores = {
    means: grid((a, p) => of(a, p).mean),
    errors: grid((a, p) => of(a, p).error),
    skewness: grid((a, p) => of(a, p).skewness ?? 0),
    runs: grid((a, p) => at(a, p).runs),
    correlations: used.map((p) => {
      const of = correlationsOf(p, horizon, regret);
      return mapSquare(ranked.length, (i, j) => of(ranked[i], ranked[j]));
    }),
    across: ranked.map(acrossOf({ setting, horizon, regret, problems })),
  };
  const found = used.length && ranked.length ? ranks(scores, board.level) : null;
  return { at, of, played, empty, present, ranked, zero, used, scores, found };
}

function mean(values) {
  const there = values.filter(Number.isFinite);
  return there.length ? sum(there) / there.length : null;
}

function rowsOf(view, table) {
  const { at, of, present, ranked, used, scores, found } = table;
  const first = found?.order[0];
  return present.map((a) => {
    const k = found ? ranked.indexOf(a) : -1;
    const numbers = view.problems.map((p) => of(a, p));
    const cells = view.problems.map((p) => at(a, p)).filter(Boolean);
    const isRanked = k >= 0;
    return {
      a,
      label: board.algorithms[a].label,
      numbers,
      isRanked,
      score: isRanked ? found.score[k] : null,
      low: found?.low[k],
      high: found?.high[k],
      group: isRanked ? found.group[k] : null,
      ratio: isRanked ? Math.exp(found.score[k] - found.score[first]) : null,
      ends: isRanked && k !== first ? intervalOf(pairOf(scores, k, first), board.level).map(Math.exp) : null,
      right: isRanked ? mean(cells.map((cell) => cell.right)) : null,
      locked: isRanked ? mean(cells.map((cell) => cell.locked_in)) : null,
      tail: isRanked ? Math.exp(mean(used.map((p) => Math.log(of(a, p).q95 / of(a, p).mean)))) : null,
      bound: isRanked ? overBound(view, numbers) : null,
    };
  });
}

function overBound({ regret, problems, horizon }, numbers) {
  if (regret !== "copeland") return null;
  return mean(problems.map((p, k) => board.problems[p].bound > 0 && numbers[k]
    ? numbers[k].mean / (board.problems[p].bound * Math.log(horizon)) : NaN));
}

// ---- The table

function columnsOf(view) {
  const range = ({ low, high }) => (low === high ? `${low}` : `${low}–${high}`);
  const ends = (row) => (row.ends ? ` (${row.ends.map(times).join("–")})` : "");
  const text = (key, form) => (row) => (row[key] === null ? "–" : form(row[key]));
  const hasBound = view.regret === "copeland" && view.problems.some((p) => board.problems[p].bound > 0);
  return [
    { id: "name", title: "Algorithm", value: (row) => row.label, text: (row) => row.label },
    { id: "rank", title: "Rank", value: (row) => row.score, text: (row) => (row.isRanked ? range(row) : "–") },
    { id: "group", title: "Group", value: (row) => row.group, text: text("group", String) },
    { id: "ratio", title: "Times the least", value: (row) => row.ratio,
      text: (row) => (row.isRanked ? times(row.ratio) + ends(row) : "–") },
    { id: "right", title: "Right", value: (row) => row.right, text: text("right", share) },
    { id: "locked", title: "Locked in", value: (row) => row.locked, text: text("locked", share) },
    { id: "tail", title: "95% / mean", value: (row) => row.tail, text: text("tail", times) },
    ...(hasBound ? [{ id: "bound", title: "Over the bound", value: (row) => row.bound, text: text("bound", times) }] : []),
    ...view.problems.map((p, k) => ({ id: `on ${board.problems[p].name}`, title: board.problems[p].name, problem: k,
                                      value: (row) => row.numbers[k]?.mean ?? null })),
  ];
}

function sorted(rows, column, down) {
  const sign = down ? -1 : 1;
  const compare = (x, y) => (typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y);
  return [...rows].sort((one, other) => {
    const [x, y] = [column.value(one), column.value(other)];
    if (x === null || y === null) return (x === null) - (y === null);
    return sign * compare(x, y) || (one.score ?? Infinity) - (other.score ?? Infinity) || 0;
  });
}

function headOf(column, view) {
  const isSorted = column.id === view.sort;
  const button = element("button", { type: "button", "data-column": column.id }, column.title);
  button.addEventListener("click", () => {
    goTo({ sort: column.id, down: isSorted && !view.down });
    [...document.querySelectorAll("#table thead button")].find((other) => other.dataset.column === column.id)?.focus();
  });
  return element("th", { scope: "col", class: column.problem === undefined ? false : "matrix",
                         "aria-sort": isSorted ? (view.down ? "descending" : "ascending") : "none" }, button);
}

function regretCell(row, k, least, view) {
  if (!row.numbers[k]) return element("td", {}, "–");
  const name = board.problems[view.problems[k]].name, value = row.numbers[k].mean;
  const button = element("button", { type: "button", title: `${row.label} on ${name}: open` }, number(value));
  button.addEventListener("click", () => goTo({ cell: [name, row.label] }));
  // 1 at the least of the column, 0 from ten times as much on.
  const close = value > 0 ? Math.max(0, 1 - Math.log10(value / least)) : 1;
  return element("td", { class: "heat", style: `--close: ${(Number.isFinite(close) ? close : 0).toFixed(3)}` }, button);
}

function isShown(row, view) {
  const algorithm = board.algorithms[row.a];
  const names = [algorithm.label, algorithm.id, algorithm.name].join(" ").toLowerCase();
  return names.includes(view.find.trim().toLowerCase()) && (!view.anytime || algorithm.anytime);
}

// What is said in place of a table of which the reader has hidden every line.
function nobodyShown(view) {
  const find = view.find.trim();
  if (!find) return "No algorithm of this table is anytime.";
  return `No ${view.anytime ? "anytime " : ""}algorithm of this table has “${find}” in its name.`;
}

function tableElement(view, rows) {
  const columns = columnsOf(view);
  const column = columns.find(({ id }) => id === view.sort) ?? columns[1];
  const least = view.problems.map((_, k) => Math.min(...rows.map((row) => row.numbers[k]?.mean ?? Infinity).filter((x) => x > 0)));
  let before = null;
  const lines = sorted(rows.filter((row) => isShown(row, view)), column, view.down).map((row) => {
    const isNext = column.id === "rank" && before !== null && before.group !== row.group;
    before = row;
    return element("tr", { class: [isNext ? "first-of-group" : "", row.isRanked ? "" : "unranked"].join(" ").trim() || false },
      element("th", { scope: "row" }, row.label),
      ...columns.slice(1).map((one) => (one.problem === undefined ? element("td", {}, one.text(row))
        : regretCell(row, one.problem, least[one.problem], view))));
  });
  return element("table", {},
    element("caption", {}, element("span", {}, `Cumulative ${named(view.regret)} regret in duels after`
      + ` ${power(view.horizon)} rounds. A number opens its curve, its line of the spec and its commands.`)),
    element("thead", {}, element("tr", {}, ...columns.map((one) => headOf(one, { ...view, sort: column.id })))),
    element("tbody", {}, ...lines));
}

// ---- What is said above and below the table

function resolution(floor) {
  if (floor === null) return "";
  const least = floor >= 1 ? `a factor of ${number(1 + floor)}` : `${number(Math.ceil(floor * 1000) / 10)}%`;
  return ` Differences below ${least} cannot be seen with these runs.`;
}

function sentence(view, table) {
  if (!view.problems.length) return "No matrix is chosen: tick at least one.";
  if (!table.present.length) {
    return `There are no results of ${named(view.regret)} regret after ${power(view.horizon)} rounds on these matrices.`;
  }
  const names = (problems) => problems.map((p) => board.problems[p].name).join(", ");
  const left = (table.zero.length ? ` Not counted, because some algorithm has no regret at all there: ${names(table.zero)}.` : "")
    + (table.empty.length ? ` Not counted, because there are no results: ${names(table.empty)}.` : "");
  if (!table.found) return `No algorithm can be ranked on these matrices.${left}`;
  const runs = table.ranked.flatMap((a) => table.used.map((p) => table.at(a, p).runs));
  const [fewest, most] = [Math.min(...runs), Math.max(...runs)];
  return `${counted(table.ranked.length, "algorithm")} ranked on ${counted(table.used.length, "matrix", "matrices")},`
    + ` ${fewest === most ? most : `${fewest} to ${most}`} runs of each on each.${resolution(table.found.floor)}${left}`;
}

// Why an algorithm has no number on a matrix: the sentences of the summary that are about it.
function reasons(a, missing, view) {
  const { id } = board.algorithms[a];
  const fits = (value, mine) => value === null || value === undefined || value === mine;
  const about = board.left_out.filter((entry) => (entry.algorithms || []).includes(id)
    && fits(entry.setting, view.setting) && fits(entry.horizon, view.horizon)
    && (!entry.n_arms || missing.some((p) => entry.n_arms.includes(board.problems[p].n_arms))));
  return [...new Set(about.map(({ why }) => why))].join(" ") || "There is no result of it.";
}

function unrankedElement(view, table) {
  const byReason = new Map();
  for (const a of board.algorithms.keys()) {
    if (table.ranked.includes(a)) continue;
    const missing = table.played.filter((p) => !table.of(a, p));
    const why = reasons(a, missing, view);
    byReason.set(why, [...(byReason.get(why) ?? []), board.algorithms[a].label]);
  }
  if (!table.played.length || !byReason.size) return "";
  const lines = [...byReason].map(([why, labels]) => element("li", {}, `${labels.join(", ")}: ${why}`));
  return element("details", {}, element("summary", {},
    `Not ranked, because a chosen matrix has no result of them: ${sum([...byReason.values()].map((x) => x.length))}`),
  element("ul", {}, ...lines));
}

// ---- Controls

function fill(select, options, value) {
  select.replaceChildren(...options.map(([key, text, disabled = false]) =>
    element("option", { value: key, selected: String(key) === String(value), disabled }, text)));
}

// Whether any matrix of a setting has results: at a horizon and of a regret, where these are given.
function hasResults(setting, horizon, regret) {
  return board.cells.some((cell) => board.problems[cell.problem].setting === setting
    && (horizon === undefined || cell.horizon === horizon) && (regret === undefined || numbersOf(cell, regret)));
}

const SETS = { all: "All matrices", small: "Up to 16 arms", large: "More than 16 arms", none: "None" };

// The matrices of a setting that a button chooses.
function setOf(setting, key) {
  const own = problemsOf(setting);
  const arms = (p) => board.problems[p].n_arms;
  return { all: own, small: own.filter((p) => arms(p) <= 16), large: own.filter((p) => arms(p) > 16), none: [] }[key];
}

function showControls(view) {
  const { setting, horizon } = view;
  fill(get("setting"), board.settings.map(({ id, title }) => [id, title, !hasResults(id)]), setting);
  fill(get("horizon"), board.horizons.map((h) => [h, `${power(h)} rounds`, !hasResults(setting, h)]), horizon);
  fill(get("regret"), board.regrets.map((name) => [name, named(name), !hasResults(setting, horizon, name)]), view.regret);
  if (get("find").value !== view.find) get("find").value = view.find;
  get("anytime").checked = view.anytime;
  const own = problemsOf(view.setting);
  get("matrices").querySelector("summary").textContent = `Choose matrices (${view.problems.length} of ${own.length} are chosen)`;
  if (get("ticks").dataset.of !== view.setting) {
    get("ticks").dataset.of = view.setting;
    get("ticks").replaceChildren(...own.map((p) => {
      const box = element("input", { type: "checkbox", value: p });
      box.addEventListener("change", () => goTo({ problems: ticked() }));
      return element("label", {}, box, ` ${board.problems[p].name} (${board.problems[p].n_arms} arms)`);
    }));
    get("sets").replaceChildren(...Object.entries(SETS).map(([key, text]) => {
      const button = element("button", { type: "button" }, text);
      button.addEventListener("click", () => goTo({ problems: setOf(view.setting, key) }));
      return button;
    }));
  }
  for (const box of get("ticks").querySelectorAll("input")) box.checked = view.problems.includes(Number(box.value));
}

function ticked() {
  return [...get("ticks").querySelectorAll("input:checked")].map((box) => Number(box.value));
}

function showCell(view) {
  const dialog = get("cell");
  const p = view.cell ? board.problems.findIndex(({ name }) => name === view.cell[0]) : -1;
  const a = view.cell ? board.algorithms.findIndex(({ label }) => label === view.cell[1]) : -1;
  const cell = cellAt.get([p, a, view.horizon].join());
  if (!numbersOf(cell, view.regret)) {
    if (dialog.open) dialog.close();
    return;
  }
  dialog.replaceChildren(...panelOf(board, cell, view.regret));
  if (!dialog.open) dialog.showModal();
}

function showTable(view) {
  const table = tableOf(view);
  const rows = rowsOf(view, table);
  const isAnyShown = rows.some((row) => isShown(row, view));
  get("said").textContent = sentence(view, table) + (rows.length && !isAnyShown ? ` ${nobodyShown(view)}` : "");
  get("table").classList.toggle("by-rank", view.sort === "rank");
  get("table").replaceChildren(...(isAnyShown ? [tableElement(view, rows)] : []));
  showEdge();
  get("unranked").replaceChildren(unrankedElement(view, table));
}

// A shadow at the right edge of the table says that columns lie beyond it.
function showEdge() {
  const box = get("table");
  get("edge").classList.toggle("more-to-the-right", box.scrollWidth - box.clientWidth - box.scrollLeft > 1);
  get("edge").style.setProperty("--bar", `${box.offsetWidth - box.clientWidth}px`);
}

let isShownNow = "";

function show() {
  const view = chosen();
  const asked = JSON.stringify({ ...view, cell: null });
  if (asked !== isShownNow) {  // a table that stays the same keeps the focus
    isShownNow = asked;
    showControls(view);
    showTable(view);
  }
  showCell(view);
}

// ---- Which algorithm should I use?

const SIZES = { "": "any number", small: "up to 16", large: "more than 16" };

function showAnswer() {
  const [setting, horizon, size] = ["setting", "horizon", "size"].map((name) => get(`choice-${name}`).value);
  const found = board.choices.find((choice) => choice.setting === setting && String(choice.horizon) === horizon
    && (choice.size ?? "") === size);
  if (!found) {
    get("answer").replaceChildren(element("p", {}, "There are no results that answer this."));
    return;
  }
  const lines = [element("p", { class: "take" }, "Take ", element("b", {}, found.take), ".")];
  if (found.because) lines.push(element("p", {}, found.because));
  if (found.tied?.length) lines.push(element("p", {}, `Not told apart from it: ${found.tied.join(", ")}.`));
  if (found.beware) lines.push(element("p", {}, found.beware));
  const button = element("button", { type: "button" }, "Show the table of this answer");
  button.addEventListener("click", () => {
    goTo({ setting, horizon: Number(horizon), regret: board.regrets[0], problems: setOf(setting, size || "all") });
    get("board").scrollIntoView();
  });
  get("answer").replaceChildren(...lines, element("div", { class: "controls" }, button));
}

function startAnswer() {
  const known = (key, values) => values.filter((value) => board.choices.some((choice) => (choice[key] ?? "") === value));
  fill(get("choice-setting"), known("setting", board.settings.map(({ id }) => id))
    .map((id) => [id, board.settings.find((one) => one.id === id).title]));
  fill(get("choice-horizon"), known("horizon", board.horizons).map((h) => [h, power(h)]));
  fill(get("choice-size"), known("size", Object.keys(SIZES)).map((size) => [size, SIZES[size]]));
  for (const name of ["setting", "horizon", "size"]) get(`choice-${name}`).addEventListener("change", showAnswer);
  get("question").hidden = !board.choices.length;
  if (board.choices.length) showAnswer();
}

function start() {
  const { length } = board.cells;
  if (!length || !board.settings.length || !board.horizons.length || !board.regrets.length) {
    get("about").textContent = "This leaderboard has no results.";
    return;
  }
  const played = board.cells.filter((cell) => cell.curve).reduce((total, cell) => total + cell.runs, 0);
  get("about").textContent = `${counted(board.algorithms.length, "algorithm")} on`
    + ` ${counted(board.problems.length, "matrix", "matrices")}, ${played.toLocaleString("en")} runs. Regret does not depend on`
    + " the machine's speed, and every number here can be played again.";
  get("made").textContent = `Made with ${Object.entries(board.made_with ?? {}).map(([name, value]) => `${name} ${value}`).join(", ")}.`;
  get("made").hidden = !board.made_with;
  get("board").hidden = false;
  for (const id of ["setting", "horizon", "regret"]) {
    get(id).addEventListener("change", () => {
      const value = get(id).value;
      goTo(id === "setting" ? { setting: value, problems: problemsOf(value) } : { [id]: value });
    });
  }
  get("find").addEventListener("input", () => goTo({ find: get("find").value }));
  get("anytime").addEventListener("change", () => goTo({ anytime: get("anytime").checked }));
  get("cell").addEventListener("close", () => { if (chosen().cell) goTo({ cell: null }); });
  get("table").addEventListener("scroll", showEdge);
  window.addEventListener("resize", showEdge);
  window.addEventListener("hashchange", show);
  startAnswer();
  show();
}

start();
