/** Takes back what the call that returned it did. Calling it again does nothing. */
export type Undo = () => void;

/** Listeners by event name; each may be left out. */
export type Listeners<Events> = {
  readonly [Name in keyof Events]?: ((event: Events[Name]) => void) | undefined;
};

interface Entry<Events> {
  /** Undefined once taken back, also while an event is being told. */
  listeners: Listeners<Events> | undefined;
}

/** Whoever wants to hear of events. Listeners may come and go while an event is being told. */
export class Emitter<Events extends object> {
  readonly #onThrow: (thrown: unknown) => void;
  #entries: readonly Entry<Events>[] = [];

  /** @param onThrow - Told what a listener threw; the other listeners are called all the same. */
  constructor(onThrow: (thrown: unknown) => void) {
    this.#onThrow = onThrow;
  }

  /** How many `add`s were not taken back. */
  get size(): number {
    return this.#entries.length;
  }

  /** Adds listeners; the same ones twice are two. */
  add(listeners: Listeners<Events>): Undo {
    const entry: Entry<Events> = { listeners };
    this.#entries = [...this.#entries, entry];
    return () => {
      entry.listeners = undefined;
      this.#entries = this.#entries.filter((other) => other !== entry);
    };
  }

  /** Calls the listeners; returns whether there were any. */
  emit<Name extends keyof Events>(name: Name, event: Events[Name]): boolean {
    let heard = false;
    for (const { listeners } of this.#entries) {
      heard = this.#call(listeners?.[name], event) || heard;
    }
    return heard;
  }

  #call<Event>(listener: ((event: Event) => void) | undefined, event: Event): boolean {
    if (!listener) return false;
    try {
      listener(event);
    } catch (thrown) {
      this.#onThrow(thrown);
    }
    return true;
  }
}
