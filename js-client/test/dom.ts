import { Window } from "happy-dom";

/** Animation frames that a test triggers, as in a hidden page. */
export class ManualFrames {
  #asked: (() => void)[] = [];

  constructor() {
    Object.assign(globalThis, {
      requestAnimationFrame: (run: () => void) => this.#asked.push(run),
    });
  }

  /** Number of callbacks waiting for a frame. */
  get waiting(): number {
    return this.#asked.length;
  }

  /** Triggers one frame. */
  show(): void {
    for (const run of this.#asked.splice(0)) run();
  }
}

// React reads it on import, so this module has to be imported first.
const window = new Window({ url: "http://localhost/" });
for (const [name, value] of Object.entries({
  window,
  document: window.document,
  navigator: window.navigator,
})) {
  // Defined, because later versions of Node have a navigator that cannot be assigned.
  Object.defineProperty(globalThis, name, { value, configurable: true });
}
