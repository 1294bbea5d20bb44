/** Takes back what the call that returned it did. Calling it again does nothing. */
export type Undo = () => void;

/** Listeners by event name. Listeners may come and go while an event is being told. */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, readonly ((event: never) => void)[]>();
  readonly #onThrow: (thrown: unknown) => void;

  /** @param onThrow - Told what a listener threw; the other listeners are called all the same. */
  constructor(onThrow: (thrown: unknown) => void) {
    this.#onThrow = onThrow;
  }

  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): Undo {
    let active = true;
    // A wrapper of its own: one function registered twice is two registrations, and what was taken
    // back while an event is being told does not hear of it.
    const registered = (event: Events[Name]): void => {
      if (active) listener(event);
    };
    this.#listeners.set(name, [...this.#of(name), registered]);
    return () => {
      active = false;
      this.#listeners.set(
        name,
        this.#of(name).filter((other) => other !== registered),
      );
    };
  }

  /** Calls the listeners; returns whether there were any. */
  emit<Name extends keyof Events>(name: Name, event: Events[Name]): boolean {
    const listeners = this.#of(name);
    for (const listener of listeners) {
      try {
        (listener as (event: Events[Name]) => void)(event);
      } catch (thrown) {
        this.#onThrow(thrown);
      }
    }
    return listeners.length > 0;
  }

  #of(name: keyof Events): readonly ((event: never) => void)[] {
    return this.#listeners.get(name) ?? [];
  }
}
