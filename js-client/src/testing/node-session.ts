import type { Undo } from "../emitter.js";
import type { JsonObject } from "../json.js";
import type { Destination } from "../publish-options.js";
import { VERSION } from "../version.js";
import { content } from "./encode.js";
import { FrameError, numberOf, parseFrame, textOf } from "./frame-error.js";
import type { FrameData, NodeEnd, Peer } from "./memory-socket.js";
import { parseBinaryPublish, toDestination, toPublishing } from "./publish-frame.js";
import { SessionQueues } from "./session-queues.js";
import type { Drain, Outcome, SessionHost, SessionPart } from "./session-host.js";
import { SessionTopics } from "./session-topics.js";
import { checkTopic } from "./topic-names.js";
import type { TestConnection } from "./types.js";

const PING_INTERVAL_MS = 25_000;
const REQUEST_TIMEOUT_MS = 5_000;
const MAX_REQUEST_TIMEOUT_MS = 60_000;
const MAX_ERRORS = 100;
const FEATURES = ["delay", "publish-id", "queues"];
// Errors that do not count: PROTOCOL.md, section 2.
const UNCOUNTED = ["rate-limited", "not-pending"];

/** Node's session of one client: PROTOCOL.md, sections 3 and 4. */
export class NodeSession implements Peer, SessionPart, TestConnection {
  readonly host: SessionHost;
  readonly isBinary: boolean;
  readonly #end: NodeEnd;
  readonly #topics: SessionTopics;
  readonly #queues: SessionQueues;
  readonly #requests = new Set<Undo>();
  #token: string | undefined;
  #expiry: unknown;
  #drain: Drain | undefined;
  #state: "new" | "open" | "over" = "new";
  #errors = 0;

  constructor(host: SessionHost, protocol: string, end: NodeEnd) {
    this.host = host;
    this.isBinary = protocol === "sluice.v1.bin";
    this.#end = end;
    this.#topics = new SessionTopics(this);
    this.#queues = new SessionQueues(this);
  }

  get token(): string | undefined {
    return this.#token;
  }

  get topics(): readonly string[] {
    return this.#topics.names;
  }

  onFrame(data: FrameData): void {
    if (this.#state === "over") return;
    const { messageBytes } = this.host.broker.limits;
    const size = typeof data === "string" ? new TextEncoder().encode(data).length : data.byteLength;
    if (size > messageBytes) {
      this.close(1009, `frame exceeds ${String(messageBytes)} bytes`);
    } else if (typeof data !== "string" && !this.isBinary) {
      this.close(1003, "binary frame in sluice.v1.json");
    } else {
      this.#receive(data);
    }
  }

  onClose(): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.host.broker.clock.clearTimeout(this.#expiry);
    for (const abandon of this.#requests) abandon();
    this.#topics.close();
    this.#queues.close();
    this.host.onEnd(this);
  }

  sendFrame(frame: object): void {
    this.sendData(JSON.stringify(frame));
  }

  sendData(data: FrameData): void {
    if (this.#state !== "over") this.#end.send(data);
  }

  /** Sends any frame; for scripts. */
  send(frame: object): void {
    this.sendFrame(frame);
  }

  close(code: number, reason = ""): void {
    this.onClose();
    this.#end.close(code, reason);
  }

  abort(code: number, reason = ""): void {
    this.onClose();
    this.#end.abort(code, reason);
  }

  cut(): void {
    this.abort(1006);
  }

  sendError(frame: JsonObject, code: string, message: string): void {
    const { ref, topic, queue, subscription, tag } = frame;
    const members = { ref, code, message, topic, queue, subscription, tag };
    this.sendFrame({ type: "error", ...members });
    if (!UNCOUNTED.includes(code) && ++this.#errors > MAX_ERRORS) {
      this.close(4203, "too many errors");
    }
  }

  guard(frame: JsonObject, action: () => void): void {
    try {
      action();
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.sendError(frame, error.code, error.message);
    }
  }

  onBrokerLost(): void {
    if (this.#state === "open") this.sendFrame({ type: "stale" });
  }

  onBrokerBack(): void {
    if (this.#state !== "open") return;
    this.#topics.answer();
    this.#queues.answer();
    this.sendFrame({ type: "live" });
  }

  onDrain(drain: Drain): void {
    this.#drain = drain;
    if (this.#state === "open") this.sendFrame({ type: "draining", ...drain });
  }

  onRedirect(url: string): void {
    if (this.#state === "open") this.sendFrame({ type: "redirect", url });
  }

  onForbidden(pattern: string, code: string): void {
    this.#topics.onForbidden(pattern, code);
    this.#queues.onForbidden(pattern, code);
  }

  #receive(data: FrameData): void {
    let frame: JsonObject = {};
    this.guard(frame, () => {
      frame = typeof data === "string" ? parseFrame(data) : parseBinaryPublish(data);
      textOf(frame, "type");
      this.guard(frame, () => {
        this.#handle(frame);
      });
    });
  }

  #handle(frame: JsonObject): void {
    if (this.#state === "new") this.#open(frame);
    else if (frame["type"] === "connect") {
      throw new FrameError("already-connected", "connect must be the first frame");
    }
    if (this.#state === "open" && frame["type"] !== "connect") this.#dispatch(frame);
  }

  #dispatch(frame: JsonObject): void {
    const { type, ref } = frame;
    switch (type) {
      case "subscribe":
        this.#topics.subscribe(frame);
        return;
      case "unsubscribe":
        if (!this.#queues.unsubscribe(frame)) this.#topics.unsubscribe(frame);
        return;
      case "publish":
        this.#publish(frame, this.#destination(frame));
        return;
      case "request":
        this.#request(frame);
        return;
      case "respond":
        this.#respond(frame);
        return;
      case "consume":
        this.#queues.consume(frame);
        return;
      case "ack":
      case "release":
      case "reject":
        this.#queues.settle(frame);
        return;
      case "credit":
        this.#queues.setCredit(frame);
        return;
      case "browse":
        this.#queues.browse(frame);
        return;
      case "refresh":
        this.#refresh(frame);
        return;
      case "ping":
        this.sendFrame({ type: "pong", ref, time: this.#now() });
        return;
      default:
        throw new FrameError("unknown-type", `unknown type ${JSON.stringify(type)}`);
    }
  }

  #open(frame: JsonObject): void {
    const connect: JsonObject = frame["type"] === "connect" ? frame : {};
    const token = connect["token"] === undefined ? undefined : textOf(connect, "token");
    const grant = this.host.broker.authenticate(token);
    if ("code" in grant) {
      this.#refuse(grant.code);
      return;
    }
    const { redirectUrl: url } = this.host;
    if (url !== undefined && connect["redirect"] === true && connect["redirected"] !== true) {
      this.sendFrame({ type: "redirect", url });
      this.close(4101, "redirected");
      return;
    }
    this.#state = "open";
    this.#token = token;
    this.#limitTo(grant.expires);
    this.#sendHello(grant.expires);
  }

  #refuse(code: number): void {
    const message = code === 4201 ? "the token has expired" : "the token is not accepted";
    this.sendFrame({ type: "error", code: "unauthorized", message });
    this.close(code, message);
  }

  #sendHello(expires: number | undefined): void {
    const { name: node, broker } = this.host;
    this.sendFrame({
      type: "hello",
      node,
      version: VERSION,
      session: `${node}-test`,
      expires,
      time: this.#now(),
      broker: broker.isUp ? "up" : "down",
      pingInterval: PING_INTERVAL_MS,
      limits: broker.limits,
      features: FEATURES,
    });
    if (!broker.isUp) this.sendFrame({ type: "stale" });
    if (this.#drain) this.onDrain(this.#drain);
  }

  /** Closes the session when its credential expires. */
  #limitTo(expires: number | undefined): void {
    const { clock } = this.host.broker;
    clock.clearTimeout(this.#expiry);
    if (expires === undefined) return;
    const expire = (): void => {
      this.close(4201, "the token has expired");
    };
    this.#expiry = clock.setTimeout(expire, Math.min(2 ** 31 - 1, expires - clock.now()));
  }

  #refresh(frame: JsonObject): void {
    const token = textOf(frame, "token");
    const grant = this.host.broker.authenticate(token);
    if ("code" in grant) throw new FrameError("unauthorized", "the token is not accepted");
    this.#token = token;
    this.#limitTo(grant.expires);
    this.sendFrame({ type: "refreshed", ref: frame["ref"], expires: grant.expires });
  }

  #publish(frame: JsonObject, destination: Destination): void {
    const { broker } = this.host;
    const publishing = toPublishing(frame, destination);
    this.#checkBroker();
    broker.store(destination, publishing);
    if (frame["ref"] !== undefined) this.sendFrame({ type: "published", ref: frame["ref"] });
  }

  #request(frame: JsonObject): void {
    const ref = numberOf(frame, "ref", 0, Number.MAX_SAFE_INTEGER);
    const timeout =
      frame["timeout"] === undefined
        ? REQUEST_TIMEOUT_MS
        : numberOf(frame, "timeout", 1, MAX_REQUEST_TIMEOUT_MS);
    const destination = this.#destination(frame);
    const publishing = toPublishing(frame, destination);
    this.#checkBroker();
    const abandon = this.host.broker.request(destination, publishing, timeout, (outcome) => {
      this.#requests.delete(abandon);
      this.#answer(frame, ref, outcome);
    });
    this.#requests.add(abandon);
  }

  #answer(frame: JsonObject, ref: number, outcome: Outcome): void {
    if (typeof outcome === "string") {
      this.sendError(frame, outcome, "no reply has arrived");
      return;
    }
    const { id, time, messageType } = outcome;
    this.sendFrame({ type: "reply", ref, id, time, messageType, ...content(outcome) });
  }

  #respond(frame: JsonObject): void {
    const request = this.#queues.pending(frame);
    if (!request.replyTo) throw new FrameError("no-recipient", "the message requests no reply");
    const correlationId = request.correlationId ?? request.id;
    this.#publish({ ...frame, correlationId }, request.replyTo);
  }

  /** Returns the destination of a publish, which must be permitted. */
  #destination(frame: JsonObject): Destination {
    const destination = toDestination(frame);
    const name = destination.queue ?? destination.topic;
    if (/[*>]/.test(name)) throw new FrameError("invalid-topic", `${name} is a pattern`);
    checkTopic(name, this.host.broker.limits);
    this.host.checkPermitted(name);
    return destination;
  }

  #checkBroker(): void {
    if (this.host.broker.isUp) return;
    throw new FrameError("broker-unavailable", "the broker is stopped");
  }

  #now(): number {
    return Math.floor(this.host.broker.clock.now());
  }
}
