import type { Clock } from "../engine/clock.js";
import type { BrokerExtension, SessionBroker } from "./session-host.js";

/** Member of a topic as it is sent to clients. */
export interface Member {
  readonly id: string;
  readonly subject: string | undefined;
  readonly info: unknown;
}

/** Receiver of changes of a topic. */
export type Watcher = (joined: readonly Member[], left: readonly string[]) => void;

interface Entry {
  readonly member: Member;
  /** Connections of the member. */
  readonly holders: Set<unknown>;
  timer: unknown;
}

/** Presence of a topic at all nodes. Each change is reported at once. */
export class PresenceTopic {
  readonly watchers = new Set<Watcher>();
  readonly #clock: Clock;
  readonly #graceMs: number;
  readonly #entries = new Map<string, Entry>();
  readonly #ids = new Map<string, string>();
  #lastId = 0;
  #partial = false;

  constructor(clock: Clock, graceMs: number) {
    this.#clock = clock;
    this.#graceMs = graceMs;
  }

  get members(): readonly Member[] {
    return [...this.#entries.values()].map(({ member }) => member);
  }

  get partial(): boolean {
    return this.#partial;
  }

  set partial(partial: boolean) {
    this.#partial = partial;
    this.#report([], []);
  }

  /** Returns the id of a member, which depends on its subject and key; a new one without a key. */
  idOf(subject: string, key: string | undefined): string {
    const name = JSON.stringify([subject, key]);
    const known = key === undefined ? undefined : this.#ids.get(name);
    const id = known ?? `member-${String(++this.#lastId).padStart(9, "0")}`;
    if (key !== undefined) this.#ids.set(name, id);
    return id;
  }

  /** Adds a member or another connection of it, or replaces its `info`. */
  enter(member: Member, holder: unknown): void {
    const known = this.#entries.get(member.id);
    this.#clock.clearTimeout(known?.timer);
    const holders = known?.holders ?? new Set();
    holders.add(holder);
    this.#entries.set(member.id, { member, holders, timer: undefined });
    const isSame = known && JSON.stringify(known.member) === JSON.stringify(member);
    if (!isSame) this.#report([member], []);
  }

  /** Removes a connection of a member: at once, or with the member after the grace time. */
  exit(id: string, holder: unknown, isAtOnce: boolean): void {
    const entry = this.#entries.get(id);
    if (!entry?.holders.delete(holder) || entry.holders.size > 0) return;
    const leave = (): void => {
      this.#entries.delete(id);
      this.#report([], [id]);
    };
    if (isAtOnce) leave();
    else entry.timer = this.#clock.setTimeout(leave, this.#graceMs);
  }

  /** Stops all timers. */
  close(): void {
    for (const { timer } of this.#entries.values()) this.#clock.clearTimeout(timer);
  }

  #report(joined: readonly Member[], left: readonly string[]): void {
    for (const watcher of [...this.watchers]) watcher(joined, left);
  }
}

/** Presence of all topics of a broker. */
export class PresenceBook implements BrokerExtension {
  readonly #broker: SessionBroker;
  readonly #topics = new Map<string, PresenceTopic>();

  constructor(broker: SessionBroker) {
    this.#broker = broker;
  }

  topic(name: string): PresenceTopic {
    const { clock, presenceGrace } = this.#broker;
    const presence = this.#topics.get(name) ?? new PresenceTopic(clock, presenceGrace);
    this.#topics.set(name, presence);
    return presence;
  }

  onClose(): void {
    for (const presence of this.#topics.values()) presence.close();
  }
}
