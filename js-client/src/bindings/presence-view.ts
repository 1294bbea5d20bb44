import type { Client } from "../engine/client-type.js";
import { SluiceError } from "../engine/errors.js";
import type { Presence, PresenceOptions, PresenceState } from "../queues/presence-types.js";

/** Presence of a topic, as shown by a component. */
export interface PresenceView extends PresenceState {
  /** Id of the client's member; undefined before the first answer, or if it only watches. */
  readonly self: string | undefined;
  /** Error with which the node has refused the request. */
  readonly error: SluiceError | undefined;
}

/** Options of a presence view: those of `presence` that a component can provide. */
export type PresenceViewOptions = Omit<PresenceOptions, "signal" | "onError">;

/** View before the first answer. */
export const EMPTY_PRESENCE: PresenceView = {
  count: 0,
  members: undefined,
  partial: false,
  live: false,
  self: undefined,
  error: undefined,
};

/** Presence view whose topic and options may change. */
export class PresenceWindow {
  readonly #client: Client;
  readonly #onChange: (view: PresenceView) => void;
  #key: string | undefined;
  /** Latest `info` as JSON: only another value is sent. */
  #info: string | undefined;
  #leaving: AbortController | undefined;
  #presence: Presence | undefined;
  #view = EMPTY_PRESENCE;

  constructor(client: Client, onChange: (view: PresenceView) => void) {
    this.#client = client;
    this.#onChange = onChange;
  }

  /** Current view; the same object until the next change. */
  get view(): PresenceView {
    return this.#view;
  }

  /**
   * Enters or watches a topic, and leaves the previous one. Another `info` is sent without leaving.
   *
   * @param topic - Undefined for no topic.
   */
  update(topic: string | undefined, options: PresenceViewOptions): void {
    const { enter = true, members = true } = options;
    const info = JSON.stringify(options.info) as string | undefined;
    const key = JSON.stringify([topic, enter, members]);
    const isSent = info === this.#info;
    this.#info = info;
    if (key !== this.#key) {
      this.close();
      this.#key = key;
      if (topic !== undefined) this.#open(topic, { enter, members });
    } else if (!isSent) {
      this.#presence?.update(parse(info));
    }
  }

  /** Leaves the topic. */
  close(): void {
    this.#leaving?.abort();
    this.#leaving = this.#presence = this.#key = undefined;
    this.#view = EMPTY_PRESENCE;
  }

  #open(topic: string, options: PresenceViewOptions): void {
    const sentInfo = this.#info;
    this.#leaving = new AbortController();
    const { signal } = this.#leaving;
    const show = (view: PresenceView): void => {
      if (signal.aborted) return;
      this.#view = view;
      this.#onChange(view);
    };
    const showPresence = ({ count, members, partial, live, self }: Presence): void => {
      show({ count, members, partial, live, self, error: undefined });
    };
    const onError = (error: SluiceError): void => {
      show({ ...EMPTY_PRESENCE, error });
    };
    this.#client.presence(topic, { ...options, info: parse(sentInfo), onError, signal }).then(
      (presence) => {
        if (signal.aborted) return;
        this.#presence = presence;
        presence.onChange(showPresence);
        showPresence(presence);
        if (this.#info !== sentInfo) presence.update(parse(this.#info));
      },
      (error: unknown) => {
        if (error instanceof SluiceError) onError(error);
      },
    );
  }
}

function parse(info: string | undefined): unknown {
  return info === undefined ? undefined : JSON.parse(info);
}
