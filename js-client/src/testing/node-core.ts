import { checkOneOf, checkTopicOrPattern } from "../engine/arguments.js";
import type { Client } from "../engine/client-type.js";
import { connect } from "../engine/connect.js";
import type { Undo } from "../engine/emitter.js";
import type { ConnectOptions } from "../engine/options.js";
import type { GapReason } from "../engine/subscription-state.js";
import { FrameError } from "./frame-error.js";
import type { NodeEnd, Peer } from "./memory-socket.js";
import { NodeSession } from "./node-session.js";
import { isSelected, type Selector } from "./selector-type.js";
import type { Ban, Drain, SessionBroker, SessionHost } from "./session-host.js";
import type { StoredMessage } from "./stored-message.js";
import { TopicLog, type LogDirectory } from "./topic-log.js";
import { covers } from "./topic-names.js";
import type { TestConnectOptions, TestConnection, TestNode, TestUse } from "./types.js";

/** Broker as used by its nodes. */
export interface NodeBroker extends SessionBroker, LogDirectory {
  readonly options: TestConnectOptions;
  /** Messages of topics, oldest first. */
  readonly retained: readonly StoredMessage[];
  /** Sequence number up to which retained messages may be missing. */
  readonly evicted: number;
  /** Creates a log that other nodes can find. */
  createLog(completeSince: number): TopicLog;
  /** Registers a client, which the broker closes. */
  adopt(client: Client): void;
}

const DRAIN_MS = 10_000;
const REASONS: readonly GapReason[] = ["broker-lost", "overload", "too-large", "unsupported"];

const USES: readonly TestUse[] = [
  "publish",
  "subscribe",
  "consume",
  "browse",
  "durable",
  "shared",
  "presence",
  "members",
];

/** Log of a topic or pattern, with the messages that a selector selects. */
interface SelectedLog {
  readonly topic: string;
  readonly selector: Selector | undefined;
  readonly log: TopicLog;
}

/** Node of a test broker. */
export class NodeCore implements TestNode, SessionHost {
  readonly name: string;
  readonly broker: NodeBroker;
  readonly #sessions = new Set<NodeSession>();
  readonly #logs = new Map<string, SelectedLog>();
  #bans: readonly Ban[] = [];
  #startedAt = 0;
  #isRefusing = false;
  #redirectTarget: TestNode | undefined;
  #drainTimer: unknown;

  constructor(name: string, broker: NodeBroker) {
    this.name = name;
    this.broker = broker;
  }

  get url(): string {
    return `ws://${this.name}.test/ws`;
  }

  get options(): TestConnectOptions {
    return this.broker.options;
  }

  get connections(): readonly TestConnection[] {
    return [...this.#sessions];
  }

  get redirectUrl(): string | undefined {
    return this.#redirectTarget?.url;
  }

  connect(options: ConnectOptions = {}): Client {
    const client = connect(this.url, { ...this.options, ...options });
    this.broker.adopt(client);
    return client;
  }

  cutConnections(): void {
    for (const session of [...this.#sessions]) session.cut();
  }

  closeConnections(code: number, reason = ""): void {
    for (const session of [...this.#sessions]) session.close(code, reason);
  }

  closeSlowConsumers(): void {
    for (const session of [...this.#sessions]) session.abort(4000, "slow consumer");
  }

  refuseConnections(): void {
    this.#isRefusing = true;
  }

  acceptConnections(): void {
    this.#isRefusing = false;
    this.broker.clock.clearTimeout(this.#drainTimer);
  }

  restart(): void {
    this.cutConnections();
    this.#logs.clear();
    this.#startedAt = this.broker.nextSequence();
  }

  drain({ to, ms = DRAIN_MS }: { readonly to?: TestNode; readonly ms?: number } = {}): void {
    const { clock } = this.broker;
    const drain: Drain = { deadline: Math.floor(clock.now() + ms), url: to?.url };
    this.acceptConnections();
    this.refuseConnections();
    for (const session of this.#sessions) session.onDrain(drain);
    this.#drainTimer = clock.setTimeout(() => {
      this.closeConnections(4100, "draining");
    }, ms);
  }

  redirectTo(node: TestNode | undefined): void {
    this.#redirectTarget = node;
    if (!node) return;
    for (const session of this.#sessions) session.onRedirect(node.url);
  }

  forbid(topic: string, code = "forbidden", use?: TestUse): Undo {
    checkTopicOrPattern(topic);
    if (use !== undefined) checkOneOf("use", USES, use);
    const ban: Ban = { pattern: topic, code, use };
    this.#bans = [...this.#bans, ban];
    for (const session of [...this.#sessions]) session.onForbidden(ban);
    return () => {
      this.#bans = this.#bans.filter((other) => other !== ban);
    };
  }

  loseMessages(topic: string, reason: GapReason = "overload"): void {
    checkTopicOrPattern(topic);
    checkOneOf("reason", REASONS, reason);
    this.log(topic);
    for (const each of this.#logs.values()) {
      if (each.topic === topic) each.log.lose(reason, this.broker.nextSequence());
    }
  }

  /** Returns the session of a new connection; undefined if it is refused. */
  accept(protocol: string, end: NodeEnd): Peer | undefined {
    if (this.#isRefusing) return undefined;
    const session = new NodeSession(this, protocol, end);
    this.#sessions.add(session);
    return session;
  }

  log(topic: string, selector?: Selector): TopicLog {
    const key = JSON.stringify([topic, selector?.text]);
    const known = this.#logs.get(key);
    if (known) return known.log;
    const log = this.broker.createLog(Math.max(this.#startedAt, this.broker.evicted));
    const added = { topic, selector, log };
    for (const message of this.broker.retained) {
      if (message.sequence > this.#startedAt) append(added, message);
    }
    this.#logs.set(key, added);
    return log;
  }

  checkPermitted(name: string, ...uses: readonly TestUse[]): void {
    const ban = this.#bans.find(
      ({ pattern, use }) => covers(pattern, name) && (use === undefined || uses.includes(use)),
    );
    if (ban) throw new FrameError(ban.code, `${name} is not permitted`);
  }

  onEnd(session: NodeSession): void {
    this.#sessions.delete(session);
  }

  onMessage(message: StoredMessage): void {
    for (const each of this.#logs.values()) append(each, message);
  }

  onBrokerLost(): void {
    for (const session of this.#sessions) session.onBrokerLost();
  }

  onBrokerBack(): void {
    for (const { log } of this.#logs.values()) log.lose("broker-lost", this.broker.nextSequence());
    for (const session of this.#sessions) session.onBrokerBack();
  }

  onExpired(isExpired: (token: string) => boolean): void {
    for (const session of [...this.#sessions]) {
      const { token } = session;
      if (token !== undefined && isExpired(token)) session.close(4201, "the token has expired");
    }
  }
}

/** Appends a message that belongs to a log. */
function append({ topic, selector, log }: SelectedLog, message: StoredMessage): void {
  const isOfTopic = covers(topic, message.destination.topic ?? "");
  if (isOfTopic && isSelected(selector, message)) log.append(message);
}
