import type { JsonObject } from "../engine/json.js";
import { badFrame, FrameError, numberOf, textOf } from "./frame-error.js";
import { PresenceBook, type PresenceTopic, type Watcher } from "./presence-topic.js";
import type { Ban, SessionExtension, SessionPart } from "./session-host.js";
import { checkName, covers } from "./topic-names.js";
import type { TestUse } from "./types.js";

interface Attendance {
  readonly frame: JsonObject;
  readonly presence: PresenceTopic;
  /** Id of the client's member; undefined if it only watches. */
  readonly id: string | undefined;
  readonly watcher: Watcher | undefined;
}

const MAX_KEY = 128;
const MAX_INFO_BYTES = 256;
const MAX_MEMBERS = 100;

/** Topics that a client enters or watches: PROTOCOL.md, section 3. */
export default class SessionPresence implements SessionExtension {
  readonly #session: SessionPart;
  readonly #attendances = new Map<string, Attendance>();

  constructor(session: SessionPart) {
    this.#session = session;
  }

  handle(frame: JsonObject): void {
    const topic = textOf(frame, "topic");
    if (frame["type"] === "leave") this.#leave(frame, topic);
    else this.#request(frame, topic);
  }

  onForbidden({ pattern, use, code }: Ban): void {
    for (const [topic, { frame }] of [...this.#attendances]) {
      const isAffected = use === undefined || usesOf(frame).includes(use);
      if (!isAffected || !covers(pattern, topic)) continue;
      this.#end(topic, true);
      this.#session.sendError(frame, code, `presence of ${topic} is not permitted`);
    }
  }

  close(isFinal: boolean): void {
    for (const topic of [...this.#attendances.keys()]) this.#end(topic, isFinal);
  }

  #request(frame: JsonObject, topic: string): void {
    const { host } = this.#session;
    checkMembers(frame);
    checkName(topic, host.broker.limits);
    host.checkPermitted(topic, ...usesOf(frame));
    const isListed = frame["members"] === true;
    const presence = host.broker.extension(PresenceBook).topic(topic);
    const isLasting = frame["enter"] === true || frame["watch"] === true;
    const self = isLasting ? this.#attend(frame, topic, presence) : undefined;
    const { ref } = frame;
    this.#session.sendFrame({ type: "present", ref, topic, self, ...stateOf(presence, isListed) });
    const watcher = this.#attendances.get(topic)?.watcher;
    if (isLasting && watcher) presence.watchers.add(watcher);
  }

  /** Enters or watches a topic; returns the id of the client's member. */
  #attend(frame: JsonObject, topic: string, presence: PresenceTopic): string | undefined {
    const former = this.#attendances.get(topic);
    const { subscriptions: max } = this.#session.host.broker.limits;
    if (!former && this.#attendances.size >= max) {
      const message = `at most ${String(max)} topics are allowed`;
      throw new FrameError("too-many-subscriptions", message);
    }
    if (former?.watcher) presence.watchers.delete(former.watcher);
    const id = frame["enter"] === true ? this.#enter(frame, presence, former) : undefined;
    if (former?.id !== undefined && former.id !== id) presence.exit(former.id, this, true);
    const watcher = frame["watch"] === true ? this.#watcher(frame, topic, presence) : undefined;
    this.#attendances.set(topic, { frame, presence, id, watcher });
    return id;
  }

  #enter({ key, info }: JsonObject, presence: PresenceTopic, former?: Attendance): string {
    const { subject } = this.#session;
    const isSame = key === undefined && former?.frame["key"] === undefined;
    const known = isSame ? former?.id : undefined;
    const id = known ?? presence.idOf(subject, key as string | undefined);
    presence.enter({ id, subject: subject || undefined, info }, this);
    return id;
  }

  /** Returns a function that sends the changes of a topic. */
  #watcher(frame: JsonObject, topic: string, presence: PresenceTopic): Watcher {
    const isListed = frame["members"] === true;
    let last = JSON.stringify(stateOf(presence, false));
    let isTruncated = presence.members.length > MAX_MEMBERS;
    return (joined, left) => {
      const count = JSON.stringify(stateOf(presence, false));
      const wasTruncated = isTruncated;
      isTruncated = presence.members.length > MAX_MEMBERS;
      const isWhole = !isListed || isTruncated || wasTruncated;
      const change = isWhole ? {} : { joined: orAbsent(joined), left: orAbsent(left) };
      const isNews = isWhole ? count !== last || wasTruncated !== isTruncated : true;
      last = count;
      const state = stateOf(presence, isWhole && isListed);
      if (isNews) this.#session.sendFrame({ type: "present", topic, ...state, ...change });
    };
  }

  #leave({ ref }: JsonObject, topic: string): void {
    if (!this.#attendances.has(topic)) {
      throw new FrameError("not-subscribed", "no presence of this topic");
    }
    this.#end(topic, true);
    this.#session.sendFrame({ type: "left", ref, topic });
  }

  #end(topic: string, isAtOnce: boolean): void {
    const ended = this.#attendances.get(topic);
    if (!ended) return;
    const { frame, presence, id, watcher } = ended;
    this.#attendances.delete(topic);
    if (watcher) presence.watchers.delete(watcher);
    const hasKey = frame["key"] !== undefined;
    if (id !== undefined) presence.exit(id, this, isAtOnce || !hasKey);
  }
}

function usesOf({ members }: JsonObject): readonly TestUse[] {
  return members === true ? ["subscribe", "presence", "members"] : ["subscribe", "presence"];
}

function checkMembers(frame: JsonObject): void {
  numberOf(frame, "ref", 0, Number.MAX_SAFE_INTEGER);
  for (const name of ["enter", "watch", "members"]) {
    const isFlag = frame[name] === undefined || typeof frame[name] === "boolean";
    if (!isFlag) throw badFrame(name, "true or false");
  }
  const { enter, key, info } = frame;
  if (enter !== true && (key !== undefined || info !== undefined)) {
    throw badFrame("enter", "true if there is a key or info");
  }
  const length = key === undefined ? 1 : textOf(frame, "key").length;
  if (length < 1 || length > MAX_KEY) throw badFrame("key", `1 to ${String(MAX_KEY)} characters`);
  const bytes = new TextEncoder().encode(info === undefined ? "" : JSON.stringify(info)).length;
  if (bytes > MAX_INFO_BYTES) throw badFrame("info", `at most ${String(MAX_INFO_BYTES)} bytes`);
}

/** Returns the members of `present` that describe a state. */
function stateOf({ members, partial }: PresenceTopic, isListed: boolean): JsonObject {
  const { length: count } = members;
  const flags = partial ? { partial } : {};
  if (!isListed) return { count, ...flags };
  return count > MAX_MEMBERS ? { count, truncated: true, ...flags } : { count, members, ...flags };
}

function orAbsent<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length > 0 ? list : undefined;
}
