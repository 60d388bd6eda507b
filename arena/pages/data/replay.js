// Replays the games of the page in the Lichess PGN Viewer, with what is known of each position: score, chance, best move, time.
// Address: #game=3&ply=20 opens game 3 after 20 plies.

const packed = JSON.parse(document.getElementById("games").textContent);
const replay = document.getElementById("replay");
const part = (name) => replay.querySelector(`.replay-${name}`);
const MARKS = { inaccuracy: "inaccuracies", mistake: "mistakes", blunder: "blunders" };

const evaluationBar = document.createElement("div");
evaluationBar.className = "replay-bar";
evaluationBar.role = "img";
evaluationBar.append(document.createElement("i"));

let wanted = 0;  // the number of the game that was asked for last
let shown = null;  // the game that is on the page: number, game, viewer, entries by path, mainline (entries by ply)

/** A game of the page, as replay.py describes it. */
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

async function open(number, ply) {
  wanted = number;
  if (shown?.number !== number) {
    const game = await unpack(packed[number - 1]);
    if (wanted !== number) return;
    show(number, game, ply);
  } else {
    goTo(ply);
  }
}

/** Show a position of the main line. */
function goTo(ply) {
  shown.viewer.toPath(shown.viewer.game.pathAtMainlinePly(ply), false);
}

function show(number, game, ply) {
  const board = document.createElement("div");
  replay.hidden = false;
  part("board").replaceChildren(board);
  const viewer = LichessPgnViewer(board, {
    pgn: game.pgn,
    initialPly: ply,
    showClocks: game.pgn.includes("[%clk"),
    scrollToMove: false,
    keyboardToMove: false,
    lichess: false,
    menu: { practiceWithComputer: { enabled: false } },
  });
  const redraw = viewer.redraw;
  viewer.redraw = () => { redraw(); follow(); };

  const entries = entriesByPath(viewer.game.moves, game.nodes);
  const mainline = [game.nodes[0], ...viewer.game.mainline.map((move) => entries.get(move.path.path))];
  shown = { number, game, viewer, entries, mainline };

  // The title of a page with a single game names the players
  const isSingle = packed.length === 1;
  part("title").textContent = isSingle ? game.opening || "Replay" : `Game ${number}: ${game.title}`;
  part("opening").textContent = isSingle ? "" : game.opening;
  part("link").hidden = !game.link;
  part("link").href = game.link;
  part("curve").innerHTML = curve();
  part("times").innerHTML = times();
  part("caption").textContent = caption();
  part("sides").replaceChildren(...sides());
  const hasMistakes = mistakes().length > 0;
  part("previous").hidden = !hasMistakes;
  part("next").hidden = !hasMistakes;
  for (const row of document.querySelectorAll("[data-game]"))
    row.classList.toggle("current", Number(row.dataset.game) === number);
  follow();
}

/** The entries of all positions by their paths. The page lists a move, then all that follows it, then its variations. */
function entriesByPath(root, nodes) {
  const entries = new Map([["", nodes[0]]]);
  const waiting = [...root.children].reverse();
  for (const entry of nodes.slice(1)) {
    const node = waiting.pop();
    if (!node) break;
    entries.set(node.data.path.path, entry);
    waiting.push(...[...node.children].reverse());
  }
  return entries;
}

/** The last ply of the game that leads to the position on the board; a variation belongs to the move that it replaces. */
function plyShown() {
  let ply = 0;
  for (const move of shown.viewer.game.mainline) {
    if (!shown.viewer.path.contains(move.path)) break;
    ply += 1;
  }
  return ply;
}

const isWhite = (ply) => shown.viewer.game.mainline[ply - 1].turn === "black";  // the side that made a move
const x = (ply) => (100 * ply) / Math.max(1, shown.mainline.length - 1);
const y = (chance) => 40 - 40 * chance;

function curve() {
  const points = [];
  const marks = [];
  shown.mainline.forEach((entry, ply) => {
    if (entry?.chance === undefined) return;
    points.push(`${x(ply).toFixed(2)},${y(entry.chance).toFixed(1)}`);
    if (entry.mark) marks.push(`<path class="${entry.mark}" d="M${x(ply).toFixed(2)} ${y(entry.chance).toFixed(1)}h.01"/>`);
  });
  if (!points.length) return "";
  const first = points[0].split(",")[0];
  const last = points[points.length - 1].split(",")[0];
  return `<polygon points="${first},40 ${points.join(" ")} ${last},40"/><line class="middle" x1="0" y1="20" x2="100" y2="20"/>
    <polyline points="${points.join(" ")}"/><line class="now" y1="0" y2="40"/>${marks.join("")}`;
}

const longest = () => Math.max(0, ...shown.mainline.map((entry) => entry?.seconds ?? 0));

/** Bars of the time per move: White's stand above the middle, Black's below. */
function times() {
  const most = longest();
  if (!most) return "";
  const width = (0.7 * 100) / (shown.mainline.length - 1);
  const bars = shown.mainline.map((entry, ply) => {
    if (!entry?.seconds) return "";
    const height = Math.max(0.3, (9.5 * entry.seconds) / most);
    const side = isWhite(ply) ? "white" : "black";
    const top = isWhite(ply) ? 10 - height : 10;
    return `<rect class="${side}" x="${(x(ply) - width).toFixed(2)}" y="${top.toFixed(2)}" width="${width.toFixed(2)}" height="${height.toFixed(2)}"/>`;
  });
  return `${bars.join("")}<line class="middle" x1="0" y1="10" x2="100" y2="10"/><line class="now" y1="0" y2="20"/>`;
}

function caption() {
  const parts = [];
  if (part("curve").innerHTML) parts.push("White's winning chances after each move");
  const most = longest();
  if (most) parts.push(`time per move (White above, Black below, ${most < 1 ? `${Math.round(1000 * most)} ms` : `${most.toFixed(1)} s`} at most)`);
  return parts.length ? `${parts.join(", and ")}: click to go there.` : "";
}

/** For each player its accuracy, and how often it went wrong: a click goes to the next such move. */
function sides() {
  const isAnalysed = shown.game.sides.some((side) => side.accuracy);
  if (!isAnalysed && !mistakes().length) return [];
  return shown.game.sides.map((side, index) => {
    const row = document.createElement("p");
    const name = document.createElement("strong");
    name.textContent = side.name;
    row.append(name);
    for (const [mark, several] of Object.entries(MARKS)) {
      const plies = mistakes().filter((ply) => isWhite(ply) === (index === 0) && shown.mainline[ply].mark === mark);
      const button = document.createElement("button");
      button.type = "button";
      button.className = mark;
      button.textContent = `${plies.length} ${plies.length === 1 ? mark : several}`;
      button.disabled = !plies.length;
      button.addEventListener("click", () => goTo(plies.find((ply) => ply > plyShown()) ?? plies[0]));
      row.append(button);
    }
    const rest = [side.accuracy && `accuracy ${side.accuracy}`, side.loss].filter(Boolean).join(", ");
    row.append(rest);
    return row;
  });
}

const mistakes = () => [...shown.mainline.keys()].filter((ply) => shown.mainline[ply]?.mark);
const nextMistake = () => mistakes().find((ply) => ply > plyShown());
const previousMistake = () => mistakes().findLast((ply) => ply < plyShown());

/** Bring all that stands around the board to the position on it. */
function follow() {
  const { viewer, entries, game } = shown;
  const ply = plyShown();
  const entry = entries.get(viewer.path.path) ?? {};
  for (const line of replay.querySelectorAll(".now")) {
    line.setAttribute("x1", x(ply));
    line.setAttribute("x2", x(ply));
  }
  for (const move of viewer.div.querySelectorAll(".move[data-path]:not([data-score])")) {
    const score = entries.get(move.dataset.path)?.score ?? "";
    move.dataset.score = score;
    move.ariaLabel = `${[move.textContent, score].filter(Boolean).join(" ")}: ${move.ariaLabel}`;
  }
  const { score, chance, plies } = lastKnown(viewer.path);
  showEvaluation(score, chance);
  const best = entry.best && { orig: entry.best.slice(0, 2), dest: entry.best.slice(2, 4), brush: "green" };
  viewer.withGround((ground) => ground.setAutoShapes(best ? [best] : []));

  const isVariation = viewer.path.size() > ply;
  const variation = plies > ply ? `In a variation: ${score}` : "In a variation";
  part("note").textContent = entry.note ?? (isVariation ? variation : "");
  part("note").className = `replay-note ${entry.mark ?? ""}`;
  part("own").textContent = entry.own ?? "";
  part("previous").disabled = previousMistake() === undefined;
  part("next").disabled = nextMistake() === undefined;
  const { fen } = viewer.curData();
  part("fen").textContent = fen;
  part("analysis").href = `https://lichess.org/analysis/${game.chess960 ? "chess960" : "standard"}/${fen.replaceAll(" ", "_")}`;
  replay.dataset.ply = ply;
  history.replaceState(null, "", `#game=${shown.number}&ply=${ply}`);
}

/** The last known score and chance on the way to a position, and after how many plies they stand. */
function lastKnown(path) {
  for (let way = path; ; way = way.init()) {
    const entry = shown.entries.get(way.path);
    if (entry?.chance !== undefined) return { ...entry, plies: way.size() };
    if (way.empty()) return { plies: 0 };
  }
}

/** The bar beside the board: White's chance. */
function showEvaluation(score, chance = 0.5) {
  const { viewer, mainline } = shown;
  if (!viewer.div.contains(evaluationBar)) viewer.div.append(evaluationBar);
  evaluationBar.hidden = !mainline.some((entry) => entry?.chance !== undefined);
  evaluationBar.classList.toggle("turned", viewer.orientation() === "black");
  evaluationBar.firstChild.style.height = `${100 * chance}%`;
  evaluationBar.ariaLabel = `evaluation ${score ?? "unknown"}`;
}

async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {  // a page from a file may lack the clipboard
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  button.classList.add("copied");
  setTimeout(() => button.classList.remove("copied"), 1200);
}

const ACTIONS = {
  ArrowLeft: () => shown.viewer.goTo("prev", false),
  ArrowRight: () => shown.viewer.goTo("next", false),
  f: () => shown.viewer.flip(),
  m: () => goTo(nextMistake() ?? plyShown()),
  M: () => goTo(previousMistake() ?? plyShown()),
};

document.addEventListener("keydown", (event) => {
  const action = ACTIONS[event.key];
  const isTyped = event.target.closest?.("input, textarea, select");
  if (!shown || !action || isTyped || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  action();
});

for (const name of ["curve", "times"])
  part(name).addEventListener("click", (event) => {
    const box = part(name).getBoundingClientRect();
    goTo(Math.max(0, Math.round(((event.clientX - box.left) / box.width) * (shown.mainline.length - 1))));
  });
part("next").addEventListener("click", ACTIONS.m);
part("previous").addEventListener("click", ACTIONS.M);
part("flip").addEventListener("click", ACTIONS.f);
part("copy-fen").addEventListener("click", (event) => copy(event.currentTarget, shown.viewer.curData().fen));
part("copy-pgn").addEventListener("click", (event) => copy(event.currentTarget, shown.game.pgn));

// A row does what the link in it does: the address changes, and the game opens.
for (const row of document.querySelectorAll("[data-game]"))
  row.addEventListener("click", (event) => {
    if (!event.target.closest("a")) location.hash = `game=${row.dataset.game}`;
  });

async function openFromAddress() {
  const address = new URLSearchParams(location.hash.slice(1));
  const number = Number(address.get("game")) || (packed.length === 1 ? 1 : 0);
  if (packed[number - 1]) await open(number, Number(address.get("ply")) || 0);
}

window.addEventListener("hashchange", async () => {
  await openFromAddress();
  if (!shown) return;
  part("title").focus({ preventScroll: true });
  replay.scrollIntoView({ block: "start", behavior: "smooth" });
});
openFromAddress();
