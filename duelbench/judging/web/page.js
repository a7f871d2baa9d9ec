"use strict";
const HASTE = 400;  // milliseconds: an answer so soon after a question came is the second half of a double click
const RETRY = 2000, WAIT = 3000, BEAT = 20000, PATIENCE = 30000;  // milliseconds
const NEVER = -1;
const LOOK = ["look", {}];
const GONE = "The server does not answer. Nothing that was answered is lost. Run its command again in the terminal; this page then continues by itself.";
const ENDED = "The session has ended.";
const KEYS = { 1: "first", ArrowLeft: "first", 2: "second", ArrowRight: "second", t: "tie", s: "skip" };
const DROPPED = "Dropped: answer again. If another pair comes, it was saved already; undo takes it back.";
const NOTHING = "Only the last answer can be taken back, by the page that gave it.";
const TOO_QUICK = "Too quick after the last pair: not taken as an answer.";
const tab = crypto.randomUUID();

const at = (id) => document.getElementById(id);
const sides = [...document.querySelectorAll(".side")];
let number = null;      // of the question on this page
let arms = [];          // its two, by number
let input = null;       // a digest of the input that they are shown on, if any
let shown = 0;          // when it came
let pending = JSON.parse(sessionStorage.getItem("pending"));  // [path, body] of what the server has not said that it has taken
const LEFT = `left ${location.pathname} `;  // begins the names under which tabs that were closed have left answers
const left = leftByOthers();  // such requests, sent before this page asks for a question
pending ??= left.shift() ?? null;
let isOver = false;     // whether the session asks for nothing more
let busy = false;
let timer = 0;
let lastKey = "";
let isCounting = false;  // what is known, for which the server may take a second or two

// The server ----------------------------------------------------------------------------------------------------------

async function post(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ tab, ...body }),
    signal: AbortSignal.timeout(PATIENCE),
  });
  return { status: response.status, ...(await response.json()) };
}

// One request at a time. What the server has not taken is sent again as it is: it takes each number once.
async function send(...request) {
  keep(request);
  if (busy) return;
  busy = true;
  clearTimeout(timer);
  let wait = RETRY;
  try {
    while (pending !== null) {
      const sent = pending;
      const view = await post(...sent);
      if (pending === sent) keep(left.shift() ?? null);
      wait = await received(view, sent[0] === "answer");
    }
  } catch (error) {
    if (isAnswer()) at("undo").disabled = false;
    missed();
  } finally {
    busy = false;
  }
  if (wait !== NEVER) timer = setTimeout(again, wait);
}

// The server is gone: after the session's end as it should be.
function missed() {
  if (isOver && !isAnswer()) {
    at("note").textContent = ENDED;
    at("undo").disabled = true;
    alarm("");
  } else {
    alarm(isAnswer() ? `${GONE} Your last answer is sent then, unless you give another one or undo it.` : GONE);
  }
}

// An answer outlives the page, which may be loaded again while the server is gone.
function keep(request) {
  pending = request;
  if (isAnswer()) sessionStorage.setItem("pending", JSON.stringify(request)); else sessionStorage.removeItem("pending");
}

// Answers of tabs that were closed while the server was gone; not what this page itself has kept over a reload.
function leftByOthers() {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(LEFT));
  const found = names.flatMap((name) => JSON.parse(localStorage.getItem(name)));
  names.forEach((name) => localStorage.removeItem(name));
  return found.filter((request) => request[1].number !== pending?.[1].number);
}

// A page that is closed leaves what it could not send to the next one.
function leave() {
  const unsent = [...(isAnswer() ? [pending] : []), ...left];
  if (unsent.length > 0) localStorage.setItem(LEFT + tab, JSON.stringify(unsent));
  navigator.sendBeacon("leave", new Blob([JSON.stringify({ tab })], { type: "application/json" }));
}

// A page that comes back as it was, by the back button, has everything itself.
function comeBack() {
  localStorage.removeItem(LEFT + tab);
  again();
}

const isAnswer = () => pending !== null && pending[0] === "answer";

function again() {
  if (!busy) send(...(pending ?? LOOK));
}

// Shows what the server has said; after how many milliseconds it is to be asked again.
async function received(view, wasAnswer) {
  const isLost = wasAnswer && !view.error?.includes("not saved");
  alarm(view.error === undefined ? "" : `${view.error}${isLost ? " Your last answer was not saved." : ""}`);
  if (view.status === 403) return NEVER;
  if (view.error !== undefined) return BEAT;
  await show(view);
  return number === null ? WAIT : BEAT;
}

// The page ------------------------------------------------------------------------------------------------------------

function say(element, text) {
  element.textContent = text;
  element.hidden = text === "";
}

const alarm = (text) => { if (at("alarm").textContent !== text) say(at("alarm"), text); };

async function show(view) {
  isOver = view.over;
  say(at("question"), view.asked);
  document.title = view.asked;
  say(at("progress"), view.progress);
  at("instructions").textContent = view.instructions;
  at("how").hidden = view.instructions === "";
  say(at("message"), view.message);
  showResult(view.result);
  if (view.note || (view.question === null && number !== null)) at("note").textContent = view.note;
  at("undo").disabled = !view.undo;
  at("judge").placeholder = view.judge || "name, if you like";
  if (sessionStorage.getItem("judge") === null) at("judge").value ||= view.judge;
  const question = view.question;
  if (question === null) {
    number = null;
    at("pair").hidden = at("input").hidden = true;
  } else if (question.number !== number) {
    await Promise.all(sides.map((side, k) => exhibit(side, question.sides[k])));
    number = question.number;
    arms = question.arms;
    input = question.input;
    say(at("input"), question.input_text ?? "");
    at("input").scrollTop = 0;
    at("pair").hidden = false;
    for (const box of document.querySelectorAll(".arm")) box.tabIndex = box.scrollHeight > box.clientHeight ? 0 : -1;
    shown = performance.now();
    scrollTo(0, 0);
  }
  for (const button of document.querySelectorAll("#bar [data-outcome]")) button.hidden = number === null;
  if (at("known").open && view.told !== Number(at("known").dataset.told)) known();
}

// The ranking at the end of the session.
function showResult(result) {
  at("result").hidden = result === null;
  if (result === null) return;
  at("ranked").textContent = result.sentences.join(" ");
  at("meaning").textContent = result.meaning;
  at("places").replaceChildren(...result.arms.map(row));
}

// What the judge is to see of an arm: its name or text, a picture, or a page in a frame that runs nothing.
async function exhibit(side, { kind, text, url, name }) {
  const mark = side.dataset.outcome === "first" ? "A" : "B";
  side.querySelector("h2").textContent = name ? `${mark}: ${name}` : mark;
  const made = document.createElement({ picture: "img", page: "iframe" }[kind] ?? "div");
  made.className = kind;
  if (kind === "picture") {
    made.alt = side.querySelector("h2").textContent;
    made.src = url;
    await made.decode().catch(() => alarm(`The picture of ${made.alt} cannot be shown: is its file still there, and whole?`));
  } else if (kind === "page") {
    made.setAttribute("sandbox", "");
    made.title = side.querySelector("h2").textContent;
    made.src = url;
  } else {
    made.dir = "auto";
    made.textContent = text === "" ? "(empty)" : text;
  }
  const box = side.querySelector(".arm");
  box.replaceChildren(made);
  box.scrollTop = 0;
}

async function known() {
  if (isCounting) return;
  isCounting = true;
  try {
    const view = await post("known", {});
    if (view.error !== undefined) return alarm(view.error);
    at("known").dataset.told = view.told;
    at("status").textContent = view.status;
    at("level").textContent = `${Number((100 * (1 - view.delta)).toPrecision(4))}% interval`;
    at("open").textContent = view.sentences.join(" ");
    at("arms").replaceChildren(...view.arms.map(row));
    at("judges").replaceChildren(...view.judges.map(judgeRow));
  } catch (error) {
    missed();
  } finally {
    isCounting = false;
  }
}

const percent = (share) => share === null ? "-" : `${Math.round(100 * share)}%`;
const interval = (low, high) => `${percent(low)} to ${percent(high)}`;

function cells(...texts) {
  const made = document.createElement("tr");
  texts.forEach((text, k) => {
    const cell = document.createElement(k === 0 ? "th" : "td");
    cell.textContent = text;
    made.append(cell);
  });
  made.cells[0].dir = "auto";
  made.cells[0].scope = "row";
  return made;
}

function judgeRow({ judge, answers, ties, ranking, others, first, flips, seconds }) {
  const within = ranking.n === 0 ? "-" : interval(ranking.low, ranking.high);
  const agreed = others.n === 0 ? "-" : `${Math.round(others.share * others.n)} of ${others.n}`;
  const shares = [percent(ranking.share), within, agreed, percent(first.share)];
  const flipped = flips.n === 0 ? "-" : `${percent(flips.share)} (${interval(flips.low, flips.high)})`;
  return cells(judge ?? "(no name)", answers, ties, ...shares, flipped, seconds ?? "-");
}

function row(arm) {
  const made = cells(arm.name, arm.duels, percent(arm.borda), interval(arm.borda_low, arm.borda_high), "");
  const bar = document.createElement("div"), span = document.createElement("span"), dot = document.createElement("i");
  bar.className = "bar";
  span.style.left = `${100 * arm.borda_low}%`;
  span.style.width = `${100 * (arm.borda_high - arm.borda_low)}%`;
  dot.style.left = `${100 * arm.borda}%`;
  bar.append(span, dot);
  made.cells[4].className = "drawn";
  made.cells[4].append(bar);
  return made;
}

// The judge -----------------------------------------------------------------------------------------------------------

const isHasty = () => number !== null && performance.now() - shown < HASTE;
const isReady = () => (pending === null || pending[0] === "look" || isWaiting()) && !isHasty();

// Whether there is an answer that could not be sent, and is not being sent: another one of the same question replaces it.
const isWaiting = () => isAnswer() && !busy;

function answer(outcome) {
  if (number !== null && isReady()) send("answer", { number, arms, input, outcome, judge: at("judge").value.trim() });
}

function undo() {
  if (!isReady()) return;
  if (isWaiting()) {
    at("note").textContent = DROPPED;
    send(...LOOK);
  } else if (at("undo").disabled) {
    at("note").textContent = NOTHING;
  } else {
    send("undo", {});
  }
}

for (const button of document.querySelectorAll("#bar [data-outcome]")) {
  button.addEventListener("click", () => answer(button.dataset.outcome));
}
for (const side of sides) {
  // A text is read, selected and scrolled with clicks; a name or a picture is chosen with one.
  side.addEventListener("click", (event) => {
    if (event.target.closest(".name, .picture")) answer(side.dataset.outcome);
  });
}
at("undo").addEventListener("click", undo);

addEventListener("pointerdown", () => { lastKey = ""; });
addEventListener("keydown", (event) => {
  lastKey = event.key;
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "INPUT") return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const isOurs = key in KEYS || key === "u";
  if (isOurs || (event.repeat && ["Enter", " "].includes(key) && event.target.tagName === "BUTTON")) event.preventDefault();
  if (event.repeat || !isOurs) return;
  if (isHasty()) at("note").textContent = TOO_QUICK;
  if (key === "u") undo(); else answer(KEYS[key]);
});

// A click into a frame takes the keys away from this page; whoever goes there with the Tab key wants to scroll in it.
addEventListener("blur", () => setTimeout(() => {
  if (document.activeElement.tagName === "IFRAME" && lastKey !== "Tab") window.focus();
}));

at("judge").value = sessionStorage.getItem("judge") ?? "";
at("judge").addEventListener("input", () => sessionStorage.setItem("judge", at("judge").value));
at("known").addEventListener("toggle", () => at("known").open && known());

addEventListener("pagehide", leave);
addEventListener("pageshow", (event) => event.persisted && comeBack());
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && again());
again();
