const WITHOUT_FRAMES_MS = 16;

/**
 * Scheduler that runs pending updates together once per animation frame, which lets React render
 * once. A hidden page has no frames: each update stays pending once, however often it is requested.
 */
export class RenderScheduler {
  readonly #due = new Set<() => void>();
  #isScheduled = false;

  /** Requests an update at the next frame; repeated requests are merged. */
  request(run: () => void): void {
    this.#due.add(run);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    onNextFrame(() => {
      this.#run();
    });
  }

  /** Cancels a requested update. */
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
  // Platforms without a screen, such as Node.
  if (typeof requestAnimationFrame === "undefined") setTimeout(run, WITHOUT_FRAMES_MS);
  else requestAnimationFrame(run);
}
