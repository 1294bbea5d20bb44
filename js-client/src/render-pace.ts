const WITHOUT_FRAMES_MS = 16;

/**
 * Runs what is due once an animation frame, all of it in one go, so that React renders once. A
 * hidden page has no frames: there each thing that is due waits, once, however often it is asked
 * for.
 */
export class RenderPace {
  readonly #due = new Set<() => void>();
  #isScheduled = false;

  /** Runs this at the next frame; asking again before that changes nothing. */
  request(run: () => void): void {
    this.#due.add(run);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    onNextFrame(() => {
      this.#run();
    });
  }

  /** Takes back what was asked for. */
  cancel(run: () => void): void {
    this.#due.delete(run);
  }

  #run(): void {
    this.#isScheduled = false;
    const due = [...this.#due];
    this.#due.clear();
    for (const run of due) run();
  }
}

function onNextFrame(run: () => void): void {
  // Where there is no screen, as in Node.
  if (typeof requestAnimationFrame === "undefined") setTimeout(run, WITHOUT_FRAMES_MS);
  else requestAnimationFrame(run);
}
