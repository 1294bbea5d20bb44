// Lines between a test and a stock client: each line on standard input is a command, each line on
// standard output an event. The end of standard input ends the process.
import { createInterface } from "node:readline";

/** Prints an event. */
export function say(...words) {
  console.log(words.join(" "));
}

/**
 * Runs commands by name. Their argument is the rest of the line.
 *
 * @param commands - Functions, which may return a promise.
 * @param end - Called at the end of standard input.
 */
export function follow(commands, end = () => {}) {
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    const [, name, rest] = /^(\S+) ?(.*)$/.exec(line);
    Promise.resolve(rest)
      .then(commands[name])
      .catch((error) => say("FAILED", name, error.message));
  });
  lines.on("close", async () => {
    const forced = setTimeout(() => process.exit(0), 2_000);
    forced.unref();
    await end();
    process.exit(0);
  });
}

const latest = new Set();
const LATEST = 1_000;

/** Returns whether an id is one of the latest: another node may repeat messages. */
export function isRepeated(id) {
  if (latest.has(id)) return true;
  latest.add(id);
  if (latest.size > LATEST) latest.delete(latest.values().next().value);
  return false;
}

/** Splits the first word from the rest. */
export function split(rest) {
  const at = rest.indexOf(" ");
  return [rest.slice(0, at), rest.slice(at + 1)];
}
