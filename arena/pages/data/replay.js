// Replays the games of the page in the Lichess PGN Viewer, beside a curve of White's winning chances that follows.
// Address: #game=3&ply=20 opens game 3 after 20 plies.

const packed = JSON.parse(document.getElementById("games").textContent);
const replay = document.getElementById("replay");
const part = (name) => replay.querySelector(`.replay-${name}`);
let viewer, game, number;

/** A game: its PGN, and for each ply from 0 White's winning chance (0 to 1, or null) and a note. */
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

async function open(wanted, ply) {
  if (wanted !== number) {
    number = wanted;
    game = await unpack(packed[number - 1]);
    const board = document.createElement("div");
    replay.hidden = false;
    part("board").replaceChildren(board);
    viewer = LichessPgnViewer(board, {
      pgn: game.pgn,
      initialPly: ply,
      showClocks: game.pgn.includes("[%clk"),
      scrollToMove: false,
      lichess: false,
      menu: { practiceWithComputer: { enabled: false } },
    });
    const redraw = viewer.redraw;
    viewer.redraw = () => { redraw(); follow(); };
    part("curve").innerHTML = curve(game.chances);
    for (const row of document.querySelectorAll("[data-game]"))
      row.classList.toggle("current", Number(row.dataset.game) === number);
  } else {
    viewer.toPath(viewer.game.pathAtMainlinePly(ply), false);
  }
  follow();
}

/** The last ply of the game that leads to the position on the board; a variation belongs to the move that it replaces. */
function plyShown() {
  let ply = 0;
  for (const move of viewer.game.mainline) {
    if (!viewer.path.contains(move.path)) break;
    ply += 1;
  }
  return ply;
}

const x = (ply) => (100 * ply) / Math.max(1, game.chances.length - 1);

function curve(chances) {
  const points = chances.map((chance, ply) => [ply, chance]).filter(([, chance]) => chance !== null);
  const line = points.map(([ply, chance]) => `${x(ply).toFixed(2)},${(40 - 40 * chance).toFixed(1)}`).join(" ");
  const ends = points.length ? [x(points[0][0]).toFixed(2), x(points[points.length - 1][0]).toFixed(2)] : [];
  const area = points.length ? `<polygon points="${ends[0]},40 ${line} ${ends[1]},40"/>` : "";
  return `${area}<line class="middle" x1="0" y1="20" x2="100" y2="20"/><polyline points="${line}"/>
    <line class="now" y1="0" y2="40"/>`;
}

function follow() {
  const ply = plyShown();
  const now = part("curve").querySelector(".now");
  now.setAttribute("x1", x(ply));
  now.setAttribute("x2", x(ply));
  const { fen } = viewer.curData();
  const onMainline = viewer.path.size() === ply;
  part("note").textContent = onMainline ? game.notes[ply] ?? "" : "a variation";
  part("fen").textContent = fen;
  part("analysis").href = `https://lichess.org/analysis/${game.chess960 ? "chess960" : "standard"}/${fen.replaceAll(" ", "_")}`;
  replay.dataset.ply = ply;
  history.replaceState(null, "", `#game=${number}&ply=${ply}`);
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

part("curve").addEventListener("click", (event) => {
  const box = part("curve").getBoundingClientRect();
  open(number, Math.max(0, Math.round(((event.clientX - box.left) / box.width) * (game.chances.length - 1))));
});
part("copy-fen").addEventListener("click", (event) => copy(event.currentTarget, viewer.curData().fen));
part("copy-pgn").addEventListener("click", (event) => copy(event.currentTarget, game.pgn));
for (const row of document.querySelectorAll("[data-game]"))
  row.addEventListener("click", async () => {
    await open(Number(row.dataset.game), 0);
    replay.scrollIntoView({ block: "start", behavior: "smooth" });
  });

function openFromAddress() {
  const address = new URLSearchParams(location.hash.slice(1));
  const wanted = Number(address.get("game")) || (packed.length === 1 ? 1 : 0);
  if (packed[wanted - 1]) return open(wanted, Number(address.get("ply")) || 0);
}
window.addEventListener("hashchange", openFromAddress);
openFromAddress();
