import type { JsonObject } from "../engine/json.js";
import { track } from "./event-queue.js";
import { loadSelectors } from "./selectors.js";
import type { PartName, SessionExtension, SessionPart } from "./session-host.js";

type Part = new (session: SessionPart) => SessionExtension;

// Each part of a session is loaded by the first frame that requires it.
const LOADERS = {
  durables: () => import("./session-durables.js"),
  presence: () => import("./session-presence.js"),
  publishes: () => import("./session-publishes.js"),
  queues: () => import("./session-queues.js"),
  requests: () => import("./session-requests.js"),
  topics: () => import("./session-topics.js"),
  transactions: () => import("./session-transactions.js"),
} satisfies Record<PartName, () => Promise<{ readonly default: Part }>>;

const TYPES: Readonly<Record<PartName, string>> = {
  durables: "list delete",
  presence: "presence leave",
  publishes: "publish",
  queues: "consume ack release reject respond credit browse",
  requests: "request",
  topics: "subscribe unsubscribe",
  transactions: "transaction",
};

const loaded = new Map<PartName, Part>();

/** Returns the part that handles frames of this type; undefined if there is none. */
export function partOf(type: unknown): PartName | undefined {
  const names = Object.keys(TYPES) as PartName[];
  return names.find((name) => TYPES[name].split(" ").includes(type as string));
}

/** Loads the modules that a frame requires; returns undefined if they are loaded. */
export function loadFor({ type, where }: JsonObject): Promise<unknown> | undefined {
  const name = partOf(type);
  const loads: Promise<unknown>[] = [];
  if (name && !loaded.has(name)) {
    loads.push(LOADERS[name]().then((module) => loaded.set(name, module.default)));
  }
  const selectors = where === undefined ? undefined : loadSelectors();
  if (selectors) loads.push(selectors);
  return loads.length > 0 ? track(Promise.all(loads)) : undefined;
}

/** Creates a part of a session, which is loaded. */
export function createPart(name: PartName, session: SessionPart): SessionExtension | undefined {
  const Loaded = loaded.get(name);
  return Loaded && new Loaded(session);
}
