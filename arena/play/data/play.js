// The page of a game. The server knows the rules and the game; the page shows its state, which comes
// as server-sent events, and sends commands.

import { Chessground } from "./chessground.min.js";
import { choosePromotion, confirmResignation, openGameDialog } from "./dialogs.js";
import { play as playSound } from "./sound.js";

const element = (id) => document.getElementById(id);
const NAMES = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
const OTHER = { white: "black", black: "white" };

let state = null; // the latest state of the server
let arrived = 0; // when it came
let evaluation = null;
let shownPly = 0; // the position that the board shows: so many moves of the game
let orientation = "white";
let hasEnded = false; // the server has
let isConnected = true;

const board = Chessground(element("board"), {
  animation: { enabled: !matchMedia("(prefers-reduced-motion: reduce)").matches, duration: 200 },
  disableContextMenu: true,
  premovable: { enabled: false },
  movable: { free: false, events: { after: moveByHand } },
});

// Commands

/** Send a command to the server. Throw an Error with the reason if it is refused. */
async function send(command, more = {}) {
  let response;
  try {
    response = await fetch("command", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ command, ...more }),
    });
  } catch {
    throw new Error("Zobra is not responding. It may have been closed.");
  }
  if (response.status === 204) return;
  const answer = await response.json().catch(() => ({ error: "The request was refused." }));
  throw new Error(answer.error);
}

/** Send a command, and show why it is refused. */
async function request(command, more) {
  element("entry-error").textContent = "";
  try {
    await send(command, more);
  } catch (error) {
    element("entry-error").textContent = sentence(error.message);
    showBoard(); // takes back a move that the board has shown already
  }
}

/** A move by mouse or touch. */
async function moveByHand(from, to) {
  let piece = "";
  if (state.promotions.includes(from + to)) {
    piece = await choosePromotion();
    if (!piece) {
      showBoard();
      return;
    }
  }
  element("move").value = "";
  await request("move", { text: from + to + piece });
}

/** A message as a sentence. A move at its begin keeps its lower case. */
function sentence(text) {
  if (!text) return "";
  const isMove = /^[a-h]x?[a-h]?[1-8]/.test(text);
  const begin = isMove ? text[0] : text[0].toUpperCase();
  return begin + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

// What is shown

function showState(next) {
  const before = state;
  state = next;
  isConnected = true;
  arrived = performance.now();
  const isNewGame = before === null || before.number !== next.number;
  if (isNewGame) orientation = next.human;
  const hasMoved = isNewGame || JSON.stringify(before.moves) !== JSON.stringify(next.moves);
  if (hasMoved) {
    shownPly = next.moves.length;
    element("entry-error").textContent = "";
    showMoves();
  }
  const isOver = next.ending && !before?.ending;
  const isTakenBack = !isNewGame && next.moves.length < before.moves.length;
  if (isNewGame || isOver || isTakenBack) element("move").value = "";
  if (!isNewGame && (hasMoved || isOver)) makeSound(before);

  showBoard();
  if (hasMoved) scrollToMove();
  showStatus();
  showPlayers();
  showClocks();
  showEvaluation();
  showControls();
}

/** Whether the side to move is in check in the position that is shown. */
function isCheck() {
  return shownPly > 0 ? state.moves[shownPly - 1].check : state.startCheck;
}

function showBoard() {
  const isLive = shownPly === state.moves.length;
  const last = shownPly > 0 ? state.moves[shownPly - 1] : null;
  const fen = last ? last.fen : state.startFen;
  const whiteBegins = state.firstPly % 2 === 0;
  const turn = whiteBegins === (shownPly % 2 === 0) ? "white" : "black";
  const hint = isLive ? state.hint : null;
  board.set({
    fen,
    orientation,
    turnColor: turn,
    check: isCheck(),
    lastMove: last ? [last.from, last.to] : undefined,
    movable: {
      color: isLive && state.yourTurn ? state.human : undefined,
      dests: isLive ? new Map(Object.entries(state.targets)) : new Map(),
    },
    drawable: {
      autoShapes: hint ? [{ orig: hint.from, dest: hint.to, brush: "blue" }] : [],
    },
  });
  element("position").textContent = inWords(fen, turn);
  for (const button of element("moves").querySelectorAll("button")) {
    button.setAttribute("aria-current", Number(button.dataset.ply) === shownPly);
  }
}

/** Scroll the list to the move before the position that is shown. */
function scrollToMove() {
  const list = element("moves");
  const item = list.querySelector("[aria-current=true]");
  if (item === null) {
    list.scrollTop = 0;
    return;
  }
  const top = item.offsetTop - list.offsetTop;
  if (top < list.scrollTop || top + item.offsetHeight > list.scrollTop + list.clientHeight) {
    list.scrollTop = top - list.clientHeight / 2;
  }
}

/** The position for those who do not see the board. */
function inWords(fen, turn) {
  const found = { white: [], black: [] };
  fen.split("/").forEach((rank, row) => {
    let file = 0;
    for (const sign of rank) {
      if (/\d/.test(sign)) {
        file += Number(sign);
      } else {
        const color = sign === sign.toUpperCase() ? "white" : "black";
        found[color].push(`${NAMES[sign.toLowerCase()]} ${"abcdefgh"[file]}${8 - row}`);
        file += 1;
      }
    }
  });
  const side = turn === "white" ? "White" : "Black";
  return `White: ${found.white.join(", ")}. Black: ${found.black.join(", ")}. ${side} to move.`;
}

/** The text of the last move, with its player. */
function lastMoveText() {
  const last = state.moves.at(-1);
  if (!last) return "";
  const byHuman = state.turn !== state.human;
  return byHuman ? `You played ${last.san}.` : `${state.opponent} played ${last.san}.`;
}

function showStatus() {
  const parts = [];
  const isLive = shownPly === state.moves.length;
  element("board").classList.toggle("earlier", !isLive);
  if (!isLive) parts.push("The board shows an earlier position (End: back to the game).");
  if (state.ending) {
    const last = state.moves.at(-1);
    parts.push(last && `Last move: ${last.san}.`, `${state.ending.text}.`, state.ending.result);
  } else if (state.isBroken) {
    parts.push("The game is paused.");
  } else if (state.thinking) {
    parts.push(lastMoveText(), `${state.opponent} is thinking …`);
  } else {
    parts.push(lastMoveText());
    parts.push((state.moves.at(-1)?.check ?? state.startCheck) ? "You are in check." : "Your move.");
  }
  if (state.notice) parts.push(sentence(state.notice));
  if (state.waitsForHint) parts.push("Looking for a hint …");
  if (state.hint) parts.push(`Hint: ${state.hint.san}.`);
  setText("status", parts.filter(Boolean).join(" "));

  const problem = element("problem");
  const problemText = sentence(state.problem);
  problem.hidden = !problemText;
  if (problem.firstElementChild.textContent !== problemText) {
    problem.firstElementChild.textContent = problemText;
  }
  element("retry").hidden = !state.isBroken;
}

/** Replace a text that has changed, so that it is read aloud once. */
function setText(id, text) {
  if (element(id).textContent !== text) element(id).textContent = text;
}

function showPlayers() {
  const names = { [state.human]: "You", [OTHER[state.human]]: state.opponent };
  for (const [id, color] of [
    ["top-player", OTHER[orientation]],
    ["bottom-player", orientation],
  ]) {
    const player = element(id);
    player.querySelector(".name").textContent = names[color];
    player.dataset.color = color;
    player.classList.toggle("to-move", !state.ending && state.turn === color);
  }
  setText("engine-name", state.opponent);
  document.title = state.yourTurn ? `Your move – ${state.opponent}` : state.opponent;
}

function showClocks() {
  for (const id of ["top-player", "bottom-player"]) {
    const clock = element(id).querySelector(".clock");
    const color = element(id).dataset.color;
    clock.hidden = !state?.clocks;
    if (!state?.clocks) continue;
    let left = state.clocks[color];
    if (state.clocks.running === color) left -= performance.now() - arrived;
    clock.textContent = clockText(Math.max(0, left));
    clock.classList.toggle("low", left < 20000);
  }
}

function clockText(milliseconds) {
  const tenths = Math.floor(milliseconds / 100);
  const seconds = Math.floor(tenths / 10);
  const minutes = Math.floor(seconds / 60);
  const rest = String(seconds % 60).padStart(2, "0");
  if (minutes >= 60) {
    return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
  }
  return seconds < 20 ? `${minutes}:${rest}.${tenths % 10}` : `${minutes}:${rest}`;
}

function showMoves() {
  const rows = [];
  let row = null;
  state.moves.forEach((move, index) => {
    const ply = state.firstPly + index;
    const isWhite = ply % 2 === 0;
    if (isWhite || row === null) {
      row = document.createElement("li");
      const number = document.createElement("span");
      number.textContent = `${Math.floor(ply / 2) + 1}.`;
      row.append(number);
      if (!isWhite) {
        const gap = document.createElement("span");
        gap.textContent = "…";
        row.append(gap);
      }
      rows.push(row);
    }
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = move.san;
    button.dataset.ply = index + 1;
    row.append(button);
  });
  element("moves").replaceChildren(...rows);
}

function showEvaluation() {
  const isShown = state.evaluates;
  element("bar").hidden = !isShown;
  element("evaluation").hidden = !isShown;
  element("evaluate").checked = isShown;
  if (!isShown) return;

  const chance = evaluation ? evaluation.chance : 0.5;
  const bar = element("bar");
  const percent = Math.round(chance * 100);
  element("bar-black").style.height = `${100 - percent}%`;
  element("bar-score").textContent = evaluation ? shortScore(evaluation.score) : "";
  bar.classList.toggle("flipped", orientation === "black");
  bar.classList.toggle("black-leads", chance < 0.5);
  bar.setAttribute("aria-valuenow", percent);
  bar.setAttribute("aria-valuetext", evaluation ? `${evaluation.score}, White ${percent}%` : "unknown");

  let note = "No evaluation yet.";
  if (evaluation) {
    const isLive = evaluation.ply === state.moves.length;
    note = `Depth ${evaluation.depth}, from White's view${isLive ? "" : ", before your move"}`;
  }
  setText("evaluation-note", note);
  const lines = (evaluation ? evaluation.lines : []).map((line) => {
    const item = document.createElement("li");
    const score = document.createElement("b");
    score.textContent = line.score;
    item.append(score, ` ${line.moves}`);
    return item;
  });
  element("lines").replaceChildren(...lines);
}

/** A score that fits into the bar, whose side has the sign: "0.3" for "+0.31". */
function shortScore(score) {
  if (score.startsWith("#")) return score.replace("-", "");
  return Number(score.slice(1)).toFixed(1);
}

function showControls() {
  const isOver = Boolean(state.ending);
  element("take-back").disabled = !isConnected || !state.canTakeBack;
  element("hint").disabled = !isConnected || !state.yourTurn;
  element("draw").disabled = !isConnected || !state.yourTurn;
  element("resign").disabled = !isConnected || isOver;
  element("move").disabled = !isConnected || isOver;
  element("entry").querySelector("button").disabled = !isConnected || isOver;
  element("new-game").disabled = !isConnected;
  element("evaluate").disabled = !isConnected;
  const hasMoves = isConnected && state.moves.length > 0;
  for (const id of ["download", "analyse"]) element(id).hidden = !hasMoves;
  setText("kept", state.file ? `Saved as ${state.file}` : "");
  showBrowsing();
}

function showBrowsing() {
  for (const id of ["first", "previous"]) element(id).disabled = shownPly === 0;
  for (const id of ["next", "last"]) element(id).disabled = shownPly === state.moves.length;
}

function makeSound(before) {
  if (!element("sound").checked) return;
  const last = state.moves.at(-1);
  if (state.ending) playSound("end");
  else if (last && state.moves.length > before.moves.length) {
    playSound(last.check ? "check" : last.san.includes("x") ? "capture" : "move");
  }
}

// Looking at earlier positions

function browseTo(ply) {
  if (state === null) return;
  shownPly = Math.max(0, Math.min(state.moves.length, ply));
  showBoard();
  scrollToMove();
  if (isConnected) showStatus();
  showBrowsing();
}

element("moves").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) browseTo(Number(button.dataset.ply));
});
element("first").addEventListener("click", () => browseTo(0));
element("previous").addEventListener("click", () => browseTo(shownPly - 1));
element("next").addEventListener("click", () => browseTo(shownPly + 1));
element("last").addEventListener("click", () => browseTo(Infinity));

// Controls

element("entry").addEventListener("submit", async (event) => {
  event.preventDefault();
  const input = element("move");
  const text = input.value.trim();
  if (!text) return;
  browseTo(Infinity);
  await request("move", { text });
  if (element("entry-error").textContent) input.select();
  else input.value = "";
});
element("take-back").addEventListener("click", () => request("take_back"));
element("hint").addEventListener("click", () => {
  browseTo(Infinity);
  request("ask_for_hint");
});
element("draw").addEventListener("click", () => request("offer_draw"));
element("retry").addEventListener("click", () => request("retry"));
element("resign").addEventListener("click", async () => {
  if (await confirmResignation()) request("resign");
});
element("flip").addEventListener("click", () => {
  orientation = OTHER[orientation];
  showBoard();
  showPlayers();
  showClocks();
  showEvaluation();
});
element("new-game").addEventListener("click", () => {
  openGameDialog(state, (wishes) => send("new_game", { wishes }));
});
element("evaluate").addEventListener("change", (event) => {
  request("evaluate", { wanted: event.target.checked });
});
element("sound").addEventListener("change", (event) => {
  sessionStorage.setItem("sound", event.target.checked ? "on" : "");
  if (event.target.checked) playSound("move");
});
element("sound").checked = sessionStorage.getItem("sound") === "on";

const KEYS = {
  ArrowLeft: () => browseTo(shownPly - 1),
  ArrowRight: () => browseTo(shownPly + 1),
  Home: () => browseTo(0),
  End: () => browseTo(Infinity),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (document.querySelector("dialog[open]")) return;
  const isEmptyMove = event.target === element("move") && element("move").value === "";
  if (event.target.closest("input:not([type=checkbox])") && !isEmptyMove) return;
  if (event.key in KEYS) {
    event.preventDefault();
    KEYS[event.key]();
  } else if (/^[a-z0-9]$/i.test(event.key) && !element("move").disabled) {
    element("move").focus(); // which gets the letter: a move can be typed at once
  }
});

setInterval(showClocks, 100);

// The connection

function connect() {
  const events = new EventSource("events");
  events.addEventListener("state", (event) => showState(JSON.parse(event.data)));
  events.addEventListener("evaluation", (event) => {
    evaluation = JSON.parse(event.data);
    if (state !== null) showEvaluation();
  });
  events.addEventListener("end", (event) => {
    const { file } = JSON.parse(event.data);
    hasEnded = true;
    events.close();
    const saved = file ? `The game is saved as ${file}. ` : "";
    showEnd(`Zobra has stopped. ${saved}Run “zobra play” to play again.`);
  });
  events.addEventListener("error", () => {
    if (hasEnded) return;
    if (events.readyState === EventSource.CLOSED) events.close();
    showEnd("The connection to Zobra is lost. If it has stopped, run “zobra play” to play again.");
  });
  events.addEventListener("open", () => {
    element("problem").hidden = true;
  });
}

function showEnd(text) {
  const problem = element("problem");
  problem.hidden = false;
  problem.firstElementChild.textContent = text;
  isConnected = false;
  if (state !== null) {
    state.yourTurn = false;
    state.clocks = null;
    if (!state.ending) setText("status", "");
    document.title = state.opponent;
    showBoard();
    showControls();
  }
}

addEventListener("pagehide", () => navigator.sendBeacon("goodbye"));
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
connect();
