import { checkFunction } from "../engine/arguments.js";
import type { Undo } from "../engine/emitter.js";
import { protocolError, type SluiceError } from "../engine/errors.js";
import type { JsonObject } from "../engine/json.js";
import { toJson } from "../engine/content.js";
import type { Presence, PresenceMember } from "../queues/presence-types.js";

/** Requirements of one caller of `client.presence`. */
interface Wanted {
  readonly enter: boolean;
  readonly members: boolean;
  info: unknown;
  /** Receives refusals; undefined if these reject the promise. */
  readonly onError: ((error: SluiceError) => void) | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Owner of the presence of a topic. */
export interface PresenceOwner {
  /** A listener of the application threw. */
  onThrew(thrown: unknown): void;
  /** The requirements have changed. */
  onChanged(): void;
  /** No caller is left. */
  onLeft(): void;
}

interface Opening {
  readonly wanted: Wanted;
  readonly resolve: (presence: Presence) => void;
  readonly reject: (reason: unknown) => void;
}

/** Presence of one topic, shared by the callers of the same client. */
export class TopicPresence {
  readonly topic: string;
  /** Number of the latest request. */
  ref: number | undefined;
  readonly #key: string;
  readonly #owner: PresenceOwner;
  readonly #callers = new Set<Wanted>();
  #listeners: readonly (() => void)[] = [];
  #openings: Opening[] = [];
  /** Latest request of this connection as JSON; undefined before it. */
  #sent: string | undefined;
  #members: Map<string, PresenceMember> | undefined;
  #list: readonly PresenceMember[] | undefined;
  #count = 0;
  #partial = false;
  #live = false;
  #self: string | undefined;

  constructor(topic: string, key: string, owner: PresenceOwner) {
    this.topic = topic;
    this.#key = key;
    this.#owner = owner;
  }

  /** Returns whether there is no caller. */
  get isUnused(): boolean {
    return this.#callers.size === 0;
  }

  /** Adds a caller; resolves with the next answer. */
  open(wanted: Wanted): Promise<Presence> {
    this.#callers.add(wanted);
    return new Promise((resolve, reject) => {
      const opening = { wanted, resolve, reject };
      if (this.#live && this.#sent === JSON.stringify(this.#toFrame())) this.#resolve(opening);
      else this.#openings.push(opening);
    });
  }

  /** Returns the frame that requests what the callers require; undefined if it was sent. */
  nextFrame(): (JsonObject & { readonly type: string }) | undefined {
    const frame = this.#toFrame();
    const text = JSON.stringify(frame);
    if (text === this.#sent) return undefined;
    this.#sent = text;
    return frame;
  }

  #toFrame(): JsonObject & { readonly type: string } {
    const callers = [...this.#callers];
    const enter = callers.some((caller) => caller.enter) || undefined;
    const members = callers.some((caller) => caller.members) || undefined;
    const info = callers.filter((caller) => caller.enter && caller.info !== undefined).at(-1)?.info;
    const key = enter && this.#key;
    return { type: "presence", topic: this.topic, enter, watch: true, members, key, info };
  }

  onAnswer(frame: JsonObject): void {
    this.#self = frame["self"] as string | undefined;
    this.#live = true;
    this.#apply(frame);
    for (const opening of this.#openings.splice(0)) this.#resolve(opening);
  }

  /** Handles a change; before the answer it belongs to an earlier request. */
  onChange(frame: JsonObject): void {
    if (this.#live) this.#apply(frame);
  }

  #apply(frame: JsonObject): void {
    const { count, members, joined, left, truncated, partial } = frame;
    if (typeof count !== "number") throw protocolError("count of present must be a number");
    this.#count = count;
    this.#partial = partial === true;
    if (members !== undefined) this.#members = new Map(toMembers(members));
    else if (truncated === true) this.#members = undefined;
    if (this.#members) {
      for (const id of toList(left)) this.#members.delete(id as string);
      for (const [id, member] of toMembers(joined)) this.#members.set(id, member);
    }
    this.#list = this.#members && [...this.#members.values()];
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (thrown) {
        this.#owner.onThrew(thrown);
      }
    }
  }

  /** Returns whether the latest request is pending or accepted. */
  get isRequested(): boolean {
    return this.#sent !== undefined;
  }

  /**
   * Handles a refusal. Callers without an answer and without `onError` are rejected.
   *
   * @returns whether no caller was notified
   */
  onError(error: SluiceError): boolean {
    this.onLost();
    const rejected = this.#reject(error, ({ onError, signal }) => {
      return !onError || signal?.aborted === true;
    });
    const notified = [...this.#callers].filter(({ onError }) => onError);
    for (const { onError } of notified) {
      try {
        onError?.(error);
      } catch (thrown) {
        this.#owner.onThrew(thrown);
      }
    }
    return rejected === 0 && notified.length === 0;
  }

  /** Removes the callers whose signal is aborted while their request is refused. */
  onAbort(): void {
    if (!this.isRequested) this.#reject(undefined, ({ signal }) => signal?.aborted === true);
  }

  /** Rejects callers without an answer; returns their number. */
  #reject(error: SluiceError | undefined, isRejected: (wanted: Wanted) => boolean): number {
    const rejected = this.#openings.filter(({ wanted }) => isRejected(wanted));
    this.#openings = this.#openings.filter((opening) => !rejected.includes(opening));
    for (const { wanted, reject } of rejected) {
      this.#callers.delete(wanted);
      reject(error ?? (wanted.signal?.reason as unknown));
    }
    return rejected.length;
  }

  /** Rejects the callers without an answer, as the client is closed. */
  onClosed(error: SluiceError): void {
    this.onLost();
    this.#reject(error, () => true);
  }

  /**
   * Removes the members and the `info` of the previous subject.
   *
   * @returns whether no caller was notified
   */
  onIdentityChanged(error: SluiceError): boolean {
    for (const caller of this.#callers) caller.info = undefined;
    this.#members = this.#list = this.#self = undefined;
    this.#count = 0;
    this.#notify();
    return this.onError(error);
  }

  onLost(): void {
    this.#sent = this.ref = undefined;
    if (!this.#live) return;
    this.#live = false;
    this.#notify();
  }

  #resolve({ wanted, resolve }: Opening): void {
    resolve(this.#toPresence(wanted));
  }

  #toPresence(wanted: Wanted): Presence {
    const read = {
      topic: () => this.topic,
      count: () => this.#count,
      members: () => (wanted.members ? this.#list : undefined),
      partial: () => this.#partial,
      live: () => this.#live,
      self: () => (wanted.enter ? this.#self : undefined),
    };
    const removals = new Set<Undo>();
    const presence = {
      onChange: (listener: (presence: Presence) => void): Undo => {
        checkFunction("listener", listener);
        const added = (): void => {
          listener(presence);
        };
        this.#listeners = [...this.#listeners, added];
        const undo = (): void => {
          this.#listeners = this.#listeners.filter((other) => other !== added);
        };
        removals.add(undo);
        return undo;
      },
      update: (info: unknown): void => {
        toJson("info", info);
        wanted.info = info;
        if (this.#callers.has(wanted)) this.#owner.onChanged();
      },
      leave: (): void => {
        for (const undo of removals) undo();
        if (!this.#callers.delete(wanted)) return;
        if (this.isUnused) this.#owner.onLeft();
        else this.#owner.onChanged();
      },
    } as unknown as Presence;
    for (const [name, get] of Object.entries(read)) {
      Object.defineProperty(presence, name, { get, enumerable: true });
    }
    return presence;
  }
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function toMembers(value: unknown): readonly (readonly [string, PresenceMember])[] {
  return toList(value).map((entry) => {
    const { id, subject, info } = Object(entry) as JsonObject;
    if (typeof id !== "string") throw protocolError("each member must have an id");
    return [id, { id, subject, info } as PresenceMember];
  });
}
