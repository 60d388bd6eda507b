// Sounds, made by the browser: nothing is loaded.

let context = null;

/** Play a short tone: a frequency in hertz, a length in seconds. */
function tone(frequency, length, delay = 0) {
  const start = context.currentTime + delay;
  const oscillator = new OscillatorNode(context, { type: "triangle", frequency });
  const volume = new GainNode(context, { gain: 0.25 });
  volume.gain.setValueAtTime(0.25, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + length);
  oscillator.connect(volume).connect(context.destination);
  oscillator.start(start);
  oscillator.stop(start + length);
}

/** Play the sound of an event: "move", "capture", "check" or "end". */
export function play(event) {
  context ??= new AudioContext();
  if (event === "end") {
    tone(440, 0.25);
    tone(330, 0.25, 0.2);
    tone(220, 0.5, 0.4);
  } else if (event === "check") {
    tone(660, 0.15);
    tone(880, 0.2, 0.1);
  } else {
    tone(event === "capture" ? 180 : 260, 0.12);
  }
}
