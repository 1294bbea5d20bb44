import { check, checkFunction, checkObject, checkTopicOrPattern } from "../engine/arguments.js";
import type { Client } from "../engine/client-type.js";
import { systemClock, type Clock } from "../engine/clock.js";
import type { Undo } from "../engine/emitter.js";
import { SluiceError } from "../engine/errors.js";
import type { Limits } from "../engine/frames.js";
import type { Destination, PublishPayload } from "../engine/publish-options.js";
import { BrokerQueue } from "./broker-queue.js";
import { EventQueue, untilQuiet } from "./event-queue.js";
import { socketClass, type Network, type NodeEnd, type Peer } from "./memory-socket.js";
import { NodeCore, type NodeBroker } from "./node-core.js";
import type { Publishing } from "./publish-frame.js";
import type { BrokerExtension, Grant, SessionBroker } from "./session-host.js";
import { toNewMessage, type NewMessage, type StoredMessage } from "./stored-message.js";
import type { TestMessage, TestPublishOptions } from "./stored-message.js";
import { TokenBook } from "./token-book.js";
import { TopicLog } from "./topic-log.js";
import { covers } from "./topic-names.js";
import type { Responder, TestBroker, TestBrokerOptions, TestConnectOptions } from "./types.js";
import type { TestDurable, TestNode, TestPresence, TestQueue, TransactionFault } from "./types.js";

const LIMITS: Limits = {
  messageBytes: 65_536,
  subscriptions: 1_000,
  topicLength: 255,
  topicDepth: 16,
  publishRate: 100,
  overlap: 4_096,
};
const DEAD_LETTERS = "DLQ";

/** Broker in memory, and the network of its nodes. */
export class BrokerCore implements TestBroker, NodeBroker, Network {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly history: number;
  readonly events = new EventQueue();
  readonly options: TestConnectOptions;
  readonly presenceGrace: number;
  readonly #maxDeliveries: number;
  readonly #tokens: TokenBook;
  readonly #extensions = new Map<unknown, BrokerExtension>();
  readonly #nodes: NodeCore[] = [];
  readonly #clients: Client[] = [];
  readonly #retained: StoredMessage[] = [];
  readonly #queues = new Map<string, BrokerQueue>();
  readonly #responders = new Map<string, Responder>();
  readonly #logs = new Map<string, TopicLog>();
  readonly #publishIds = new Set<string>();
  #transactionFaults: readonly TransactionFault[] = [];
  #evicted = 0;
  #sequence = 0;
  #isUp = true;

  constructor(options: TestBrokerOptions) {
    const { clock = systemClock, random = () => 0.5, tokenLifetime } = options;
    const { authenticate = () => true, limits } = options;
    const { history = 10_000, maxDeliveries = 10, presenceGrace = 10_000 } = options;
    checkCount("history", history, 1_000_000);
    checkCount("maxDeliveries", maxDeliveries, 1_000);
    checkCount("presenceGrace", presenceGrace, 2 ** 31 - 1, 0);
    if (tokenLifetime !== undefined) checkCount("tokenLifetime", tokenLifetime, 2 ** 31 - 1);
    checkFunction("authenticate", authenticate);
    this.clock = clock;
    this.limits = { ...LIMITS, ...limits };
    this.history = history;
    this.#maxDeliveries = maxDeliveries;
    this.#tokens = new TokenBook(clock, tokenLifetime, authenticate);
    this.presenceGrace = presenceGrace;
    const WebSocket = socketClass(this);
    this.options = { WebSocket, transports: ["websocket"], minBackoff: 20, clock, random };
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  get retained(): readonly StoredMessage[] {
    return this.#retained;
  }

  get evicted(): number {
    return this.#evicted;
  }

  node(name = `node-${String(this.#nodes.length + 1)}`): TestNode {
    const isFree = /^[a-z0-9-]+$/.test(name) && !this.#nodes.some((node) => node.name === name);
    check(isFree, "name", "a new name of lower-case letters, digits and -", name);
    const node = new NodeCore(name, this);
    this.#nodes.push(node);
    return node;
  }

  publish(topic: string, payload: PublishPayload, options?: TestPublishOptions): void {
    this.#publish({ topic }, payload, options);
  }

  messages(topic: string): readonly TestMessage[] {
    checkTopicOrPattern(topic);
    return this.#retained.filter(({ destination }) => covers(topic, destination.topic ?? ""));
  }

  queue(name: string): TestQueue {
    const queue = this.brokerQueue(name);
    return {
      name,
      get messages() {
        return queue.ready.map(({ message }) => message);
      },
      publish: (payload, options) => {
        this.#publish({ queue: name }, payload, options);
      },
      takeBack: () => {
        queue.takeBack("timeout");
      },
    };
  }

  async durable(topic: string, name: string, subject?: string): Promise<TestDurable> {
    const { durableScript } = await import("./durable-script.js");
    return durableScript(this, topic, name, subject);
  }

  async presence(topic: string): Promise<TestPresence> {
    const { presenceScript } = await import("./presence-script.js");
    return presenceScript(this, topic);
  }

  failTransaction(fault: TransactionFault = {}): void {
    checkObject("fault", fault);
    this.#transactionFaults = [...this.#transactionFaults, fault];
  }

  respond(destination: Destination, responder: Responder): Undo {
    checkFunction("responder", responder);
    const name = keyOf(destination);
    this.#responders.set(name, responder);
    return () => {
      if (this.#responders.get(name) === responder) this.#responders.delete(name);
    };
  }

  stop(): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    for (const queue of this.#queues.values()) queue.takeBack("broker-lost");
    for (const extension of this.#extensions.values()) extension.onBrokerLost?.();
    for (const node of this.#nodes) node.onBrokerLost();
  }

  start(): void {
    if (this.#isUp) return;
    this.#isUp = true;
    for (const node of this.#nodes) node.onBrokerBack();
    for (const queue of this.#queues.values()) queue.dispatch();
    for (const extension of this.#extensions.values()) extension.onBrokerBack?.();
  }

  expireTokens(): void {
    this.#tokens.expireAll();
    for (const node of this.#nodes) node.onExpired((token) => this.#tokens.isExpired(token));
  }

  idle(): Promise<void> {
    return untilQuiet();
  }

  close(): void {
    for (const client of this.#clients.splice(0)) client.close();
    for (const node of this.#nodes) {
      node.acceptConnections();
      node.cutConnections();
    }
    for (const extension of this.#extensions.values()) extension.onClose?.();
  }

  accept(url: string, protocol: string, end: NodeEnd): Peer | undefined {
    return this.#nodes.find((node) => node.url === url)?.accept(protocol, end);
  }

  authenticate(token: string | undefined): Grant {
    return this.#tokens.check(token);
  }

  adopt(client: Client): void {
    this.#clients.push(client);
  }

  find(epoch: string): TopicLog | undefined {
    return this.#logs.get(epoch);
  }

  createLog(completeSince: number): TopicLog {
    const epoch = (this.#logs.size + 1).toString(16).padStart(16, "0");
    const log = new TopicLog(this, epoch, completeSince);
    this.#logs.set(epoch, log);
    return log;
  }

  nextSequence(): number {
    return ++this.#sequence;
  }

  brokerQueue(name: string): BrokerQueue {
    const queue = this.#queues.get(name) ?? this.createQueue(name);
    this.#queues.set(name, queue);
    return queue;
  }

  createQueue(name: string): BrokerQueue {
    const bury = (message: StoredMessage): void => {
      this.brokerQueue(DEAD_LETTERS).add(message);
    };
    return new BrokerQueue(name, this.#maxDeliveries, () => this.#isUp, bury);
  }

  extension<Extension extends BrokerExtension>(
    Class: new (broker: SessionBroker) => Extension,
  ): Extension {
    const extension = this.#extensions.get(Class) ?? new Class(this);
    this.#extensions.set(Class, extension);
    return extension as Extension;
  }

  takeTransactionFault(): TransactionFault | undefined {
    const [fault, ...others] = this.#transactionFaults;
    this.#transactionFaults = others;
    return fault;
  }

  checkStorable(destination: Destination): void {
    for (const extension of this.#extensions.values()) extension.checkStorable?.(destination);
  }

  /** Handles a publish of a client. */
  store(destination: Destination, { message, delay, publishId }: Publishing): void {
    const key = publishId === undefined ? undefined : `${keyOf(destination)} ${publishId}`;
    if (key !== undefined && this.#publishIds.has(key)) return;
    if (key !== undefined) this.#publishIds.add(key);
    if (delay === undefined) {
      this.#route(destination, message);
      return;
    }
    this.clock.setTimeout(() => {
      this.#route(destination, message);
    }, delay);
  }

  #publish(destination: Destination, payload: PublishPayload, options?: TestPublishOptions): void {
    const message = toNewMessage(destination, payload, options);
    if (!this.#isUp) throw new SluiceError("broker-unavailable", "the test broker is stopped");
    try {
      this.checkStorable(destination);
    } catch (error) {
      throw new SluiceError("publish-failed", (error as Error).message);
    }
    this.#route(destination, message);
  }

  #route(destination: Destination, message: NewMessage): void {
    const stored = this.#toStored(destination, message);
    const { queue } = destination;
    const responder = stored.replyTo && this.#responders.get(keyOf(destination));
    const extensions = [...this.#extensions.values()];
    if (extensions.some((extension) => extension.onMessage?.(stored))) return;
    if (responder) this.#reply(responder, stored);
    else if (queue !== undefined) this.brokerQueue(queue).add(stored);
    else this.#distribute(stored);
  }

  #toStored(destination: Destination, message: NewMessage): StoredMessage {
    const sequence = this.nextSequence();
    const {
      id = sequence.toString(16).padStart(16, "0"),
      time = Math.floor(this.clock.now()),
      properties = {},
    } = message;
    return { ...message, destination, id, time, properties, sequence };
  }

  #distribute(message: StoredMessage): void {
    this.#retained.push(message);
    if (this.#retained.length > this.history) {
      this.#evicted = this.#retained.shift()?.sequence ?? 0;
    }
    for (const node of this.#nodes) node.onMessage(message);
  }

  /** Publishes the reply in a later turn, as a responder would. */
  #reply(responder: Responder, request: StoredMessage): void {
    const { replyTo, correlationId = request.id } = request;
    this.events.post(() => {
      const payload = responder(request);
      if (payload === undefined || !replyTo || !this.#isUp) return;
      this.#publish(replyTo, payload, { correlationId });
    });
  }
}

/**
 * Creates a broker in memory. Its nodes speak the protocol of real ones with the unchanged client,
 * without a network.
 *
 * @throws SluiceError `invalid-argument`
 */
export function createTestBroker(options: TestBrokerOptions = {}): TestBroker {
  return new BrokerCore(options);
}

function keyOf({ topic, queue }: Destination): string {
  return queue === undefined ? `topic ${topic}` : `queue ${queue}`;
}

function checkCount(name: string, value: number, max: number, min = 1): void {
  const isValid = Number.isSafeInteger(value) && value >= min && value <= max;
  check(isValid, name, `a whole number from ${String(min)} to ${String(max)}`, value);
}
