import { setText } from "./text.js";

const READ_EVERY_MS = 5_000;

/** Share of bytes that compression saves, over all clients of the demo's nodes. */
export class Savings {
  #value;

  constructor(root) {
    this.#value = root.querySelector("[data-testid=compression]");
  }

  /** Reads the counters of the demo repeatedly, but not in the background. */
  watch(server) {
    setInterval(() => {
      if (document.visibilityState === "visible") void this.#read(server);
    }, READ_EVERY_MS);
  }

  async #read(server) {
    const { before, after } = (await server.state())?.compression ?? { before: 0, after: 0 };
    if (before > 0) setText(this.#value, saved(before, after));
  }
}

function saved(before, after) {
  const percent = Math.round((1 - after / before) * 100);
  return `${percent} %`;
}
