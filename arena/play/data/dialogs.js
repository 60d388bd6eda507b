// The dialogs of the page: a new game, the piece of a promotion, a resignation.

const gameDialog = document.getElementById("game-dialog");
const gameForm = document.getElementById("game-form");
const gameError = document.getElementById("game-error");
const field = (name) => gameForm.elements[name];

// Fields that belong to one choice of a radio button: the field, the button's name and value.
const DEPENDENT = [
  ["elo", "strength", "limited"],
  ["seconds", "timing", "movetime"],
  ["minutes", "timing", "clock"],
  ["increment", "timing", "clock"],
  ["number", "position", "chess960"],
  ["fen", "position", "fen"],
];

/** Open a dialog whose buttons close it, and return the value of the button, "" for none. */
function choose(dialog) {
  return new Promise((resolve) => {
    dialog.returnValue = "";
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
    dialog.showModal();
  });
}

/** Ask for the piece of a promotion: "q", "r", "b", "n", or "" if the move is called off. */
export const choosePromotion = () => choose(document.getElementById("promotion-dialog"));

/** Ask for confirmation before resigning. */
export async function confirmResignation() {
  return (await choose(document.getElementById("resign-dialog"))) === "yes";
}

/** Show the wishes of the game that is played in the form. */
function fill(state) {
  const { wishes, levels } = state;
  field("color").value = wishes.color;

  document.getElementById("level").hidden = levels === null;
  field("strength").value = wishes.elo === null ? "full" : "limited";
  if (levels !== null) {
    field("elo").min = levels.low;
    field("elo").max = levels.high;
    const elo = wishes.elo ?? Number(field("elo").value);
    field("elo").value = Math.min(Math.max(elo, levels.low), levels.high);
    document.getElementById("range").textContent = `${levels.low} to ${levels.high}`;
  }

  const movetime = wishes.time.match(/^movetime=(\d+)$/);
  const clock = wishes.time.match(/^([\d.]+)(?:\+([\d.]+))?$/);
  const other = document.getElementById("other-time");
  other.hidden = Boolean(movetime || clock);
  if (movetime) {
    field("timing").value = "movetime";
    field("seconds").value = Number(movetime[1]) / 1000;
  } else if (clock) {
    field("timing").value = "clock";
    field("minutes").value = Number(clock[1]) / 60;
    field("increment").value = Number(clock[2] ?? 0);
  } else {
    field("timing").value = "other";
    other.querySelector("span").textContent = wishes.time;
  }

  field("position").value = wishes.fen ? "fen" : wishes.chess960 ? "chess960" : "start";
  field("fen").value = wishes.fen;
  field("number").value = wishes.number ?? "";
}

/** Return what the form asks for, in the words of the server. */
function read(state) {
  const timing = field("timing").value;
  const position = field("position").value;
  let time = state.wishes.time;
  if (timing === "movetime") {
    time = `movetime=${Math.round(Number(field("seconds").value) * 1000)}`;
  } else if (timing === "clock") {
    const seconds = Math.round(Number(field("minutes").value) * 60000) / 1000;
    time = `${seconds}+${Number(field("increment").value)}`;
  }
  const isLimited = state.levels !== null && field("strength").value === "limited";
  const number = field("number").value;
  return {
    color: field("color").value,
    elo: isLimited ? Math.round(Number(field("elo").value)) : null,
    time,
    fen: position === "fen" ? field("fen").value : "",
    chess960: position === "chess960",
    number: position === "chess960" && number !== "" ? Math.round(Number(number)) : null,
  };
}

/** Check the fields of what is chosen, and show the first problem. The browser would check all. */
function isValid() {
  const chosen = DEPENDENT.filter(([, option, value]) => field(option).value === value);
  return chosen.every(([name]) => field(name).reportValidity());
}

/** Open the dialog of a new game. `start` gets the wishes, and throws an Error to be shown. */
export function openGameDialog(state, start) {
  fill(state);
  gameError.textContent = "";
  gameForm.onsubmit = async (event) => {
    event.preventDefault();
    gameError.textContent = "";
    if (!isValid()) return;
    try {
      await start(read(state));
      gameDialog.close();
    } catch (error) {
      gameError.textContent = error.message;
    }
  };
  gameDialog.showModal();
}

// A number that is typed chooses the option that it belongs to.
for (const [name, option, value] of DEPENDENT) {
  field(name).addEventListener("input", () => {
    field(option).value = value;
  });
}
gameDialog.querySelector("[data-close]").addEventListener("click", () => gameDialog.close());
