"use strict";
const HASTE = 400;  // milliseconds: an answer so soon after a new question is the second half of a double click
const RETRY = 2000, WAIT = 3000, BEAT = 20000, PATIENCE = 30000;  // milliseconds
const NEVER = -1;
const LOOK = ["look", {}];
const GONE = "The server does not answer. No answer is lost. Run its command again in the terminal; this page then continues by itself.";
const ENDED = "The session has ended.";
const KEYS = { 1: "first", ArrowLeft: "first", 2: "second", ArrowRight: "second", t: "tie", s: "skip" };
const DROPPED = "Dropped: answer again. If another pair appears, your answer was saved already; undo takes it back.";
const NOTHING = "Only the last answer can be taken back, by the page that gave it.";
const TOO_QUICK = "Too quick after the last pair: not taken as an answer.";
const tab = crypto.randomUUID();

const at = (id) => document.getElementById(id);
const sides = [...document.querySelectorAll(".side")];
let number = null;      // the number of the question on this page
let arms = [];          // the numbers of its two arms
let input = null;       // a digest of its input, if any
let shown = 0;          // the time at which it appeared
let pending = JSON.parse(sessionStorage.getItem("pending"));  // [path, body] of a request that the server has not confirmed
const LEFT = `left ${location.pathname} `;  // the prefix of keys under which closed tabs have stored answers
const left = leftByOthers();  // these requests, which are sent before this page asks for a question
pending ??= left.shift() ?? null;
let isOver = false;     // whether the session asks nothing more
let busy = false;
let timer = 0;
let lastKey = "";
let isCounting = false;  // whether the server computes the results, which may take seconds

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

// Sends one request at a time. A request that is not confirmed is sent again: the server takes each number once.
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

// Reports that the server does not answer, which is normal after the end of the session.
function missed() {
  if (isOver && !isAnswer()) {
    at("note").textContent = ENDED;
    at("undo").disabled = true;
    alarm("");
  } else {
    alarm(isAnswer() ? `${GONE} Your last answer is sent then, unless you give another one or undo it.` : GONE);
  }
}

// Stores an answer, because the page may be reloaded while the server does not answer.
function keep(request) {
  pending = request;
  if (isAnswer()) sessionStorage.setItem("pending", JSON.stringify(request)); else sessionStorage.removeItem("pending");
}

// Takes the answers of tabs that were closed while the server did not answer, except the one this page has stored.
function leftByOthers() {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(LEFT));
  const requests = names.flatMap((name) => JSON.parse(localStorage.getItem(name)));
  names.forEach((name) => localStorage.removeItem(name));
  return requests.filter((request) => request[1].number !== pending?.[1].number);
}

// Stores answers that a closing page could not send, for the next page.
function leave() {
  const unsent = [...(isAnswer() ? [pending] : []), ...left];
  if (unsent.length > 0) localStorage.setItem(LEFT + tab, JSON.stringify(unsent));
  navigator.sendBeacon("leave", new Blob([JSON.stringify({ tab })], { type: "application/json" }));
}

// A page that is restored by the back button still has its own answers.
function comeBack() {
  localStorage.removeItem(LEFT + tab);
  again();
}

const isAnswer = () => pending !== null && pending[0] === "answer";

function again() {
  if (!busy) send(...(pending ?? LOOK));
}

// Shows the server's response; returns the milliseconds until the next request.
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

// Shows the ranking at the end of the session.
function showResult(result) {
  at("result").hidden = result === null;
  if (result === null) return;
  at("ranked").textContent = result.sentences.join(" ");
  at("meaning").textContent = result.meaning;
  at("places").replaceChildren(...result.arms.map(row));
}

// Shows an arm: its name or text, a picture, or a page in a frame without scripts.
async function exhibit(side, { kind, text, url, name }) {
  const mark = side.dataset.outcome === "first" ? "A" : "B";
  side.querySelector("h2").textContent = name ? `${mark}: ${name}` : mark;
  const made = document.createElement({ picture: "img", page: "iframe" }[kind] ?? "div");
  made.className = kind;
  if (kind === "picture") {
    made.alt = side.querySelector("h2").textContent;
    made.src = url;
    await made.decode().catch(() => alarm(`The picture of ${made.alt} cannot be shown: check its file.`));
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

// Whether an answer could not be sent: another answer to the same question replaces it.
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
  // A click on a name or a picture chooses it; people select and scroll texts with clicks.
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

// A click into a frame moves the keys to the frame, so take them back; with the Tab key people want to scroll in it.
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
