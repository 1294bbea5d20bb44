/** Function that reverts the call that returned it. Calling it again does nothing. */
export type Undo = () => void;

/** Listeners by event name; each is optional. */
export type Listeners<Events> = {
  readonly [Name in keyof Events]?: ((event: Events[Name]) => void) | undefined;
};

interface Registration<Events> {
  /** Undefined once removed, also while an event is being emitted. */
  listeners: Listeners<Events> | undefined;
}

/** Event emitter. Listeners may be added and removed while an event is being emitted. */
export class Emitter<Events extends object> {
  readonly #onThrow: (thrown: unknown) => void;
  #registrations: readonly Registration<Events>[] = [];

  /** @param onThrow - Receives what a listener threw; the other listeners are still called. */
  constructor(onThrow: (thrown: unknown) => void) {
    this.#onThrow = onThrow;
  }

  /** Number of active registrations. */
  get size(): number {
    return this.#registrations.length;
  }

  /** Adds listeners; adding the same ones twice makes two registrations. */
  add(listeners: Listeners<Events>): Undo {
    const registration: Registration<Events> = { listeners };
    this.#registrations = [...this.#registrations, registration];
    return () => {
      registration.listeners = undefined;
      this.#registrations = this.#registrations.filter((other) => other !== registration);
    };
  }

  /** Calls the listeners; returns whether there were any. */
  emit<Name extends keyof Events>(name: Name, event: Events[Name]): boolean {
    let hasListener = false;
    for (const { listeners } of this.#registrations) {
      hasListener = this.call(listeners?.[name], event) || hasListener;
    }
    return hasListener;
  }

  /** Calls one listener, if there is one; returns whether there is. */
  call<Event>(listener: ((event: Event) => void) | undefined, event: Event): boolean {
    if (!listener) return false;
    try {
      listener(event);
    } catch (thrown) {
      this.#onThrow(thrown);
    }
    return true;
  }
}
