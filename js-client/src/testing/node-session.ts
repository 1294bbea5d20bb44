import type { JsonObject } from "../engine/json.js";
import { VERSION } from "../engine/version.js";
import { parseBinaryPublish } from "./binary-publish.js";
import { FrameError, parseFrame, textOf } from "./frame-error.js";
import type { FrameData, NodeEnd, Peer } from "./memory-socket.js";
import { createPart, loadFor, partOf } from "./parts.js";
import type {
  Ban,
  Drain,
  PartName,
  SessionExtension,
  SessionHost,
  SessionPart,
} from "./session-host.js";
import type SessionTopics from "./session-topics.js";
import type { TestConnection } from "./types.js";

const PING_INTERVAL_MS = 25_000;
const MAX_MALFORMED = 100;
const FEATURES =
  "delay durable presence publish-id queues selectors shared transacted-acks transactions";
// Errors by malformed frames, which count: PROTOCOL.md, section 2.
const MALFORMED = ["bad-json", "bad-frame", "unknown-type", "already-connected"];

/** Node's session of one client: PROTOCOL.md, sections 3 and 4. */
export class NodeSession implements Peer, SessionPart, TestConnection {
  readonly host: SessionHost;
  readonly isBinary: boolean;
  readonly #end: NodeEnd;
  readonly #parts = new Map<PartName, SessionExtension>();
  #token: string | undefined;
  #subject = "";
  #expiry: unknown;
  #drain: Drain | undefined;
  #state: "new" | "open" | "over" = "new";
  #malformed = 0;

  constructor(host: SessionHost, protocol: string, end: NodeEnd) {
    this.host = host;
    this.isBinary = protocol === "sluice.v1.bin";
    this.#end = end;
  }

  get token(): string | undefined {
    return this.#token;
  }

  get subject(): string {
    return this.#subject;
  }

  get topics(): readonly string[] {
    return (this.part("topics") as SessionTopics | undefined)?.names ?? [];
  }

  part(name: PartName): SessionExtension | undefined {
    return this.#parts.get(name);
  }

  onFrame(data: FrameData): unknown {
    if (this.#state === "over") return undefined;
    const { messageBytes } = this.host.broker.limits;
    const size = typeof data === "string" ? new TextEncoder().encode(data).length : data.byteLength;
    if (size > messageBytes) {
      this.close(1009, `frame exceeds ${String(messageBytes)} bytes`);
    } else if (typeof data !== "string" && !this.isBinary) {
      this.close(1003, "binary frame in sluice.v1.json");
    } else {
      return this.#receive(data);
    }
    return undefined;
  }

  onClose(code = 1006): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.host.broker.clock.clearTimeout(this.#expiry);
    const isFinal = code === 1000 && !this.#drain && this.host.redirectUrl === undefined;
    for (const part of this.#parts.values()) part.close?.(isFinal);
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
    if (MALFORMED.includes(code) && ++this.#malformed > MAX_MALFORMED) {
      this.close(4203, "too many errors");
    }
  }

  guard(frame: JsonObject, action: () => void): boolean {
    try {
      action();
      return true;
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.sendError(frame, error.code, error.message);
      return false;
    }
  }

  onBrokerLost(): void {
    if (this.#state !== "open") return;
    for (const part of this.#parts.values()) part.onBrokerLost?.();
    this.sendFrame({ type: "stale" });
  }

  onBrokerBack(): void {
    if (this.#state !== "open") return;
    for (const part of this.#parts.values()) part.onBrokerBack?.();
    this.sendFrame({ type: "live" });
  }

  onDrain(drain: Drain): void {
    this.#drain = drain;
    if (this.#state === "open") this.sendFrame({ type: "draining", ...drain });
  }

  onRedirect(url: string): void {
    if (this.#state === "open") this.sendFrame({ type: "redirect", url });
  }

  onForbidden(ban: Ban): void {
    for (const part of this.#parts.values()) part.onForbidden?.(ban);
  }

  checkBroker(): void {
    if (this.host.broker.isUp) return;
    throw new FrameError("broker-unavailable", "the broker is stopped");
  }

  /** Handles a frame; the result is a promise if its modules have to be loaded before. */
  #receive(data: FrameData): unknown {
    let frame: JsonObject | undefined;
    this.guard({}, () => {
      const parsed = typeof data === "string" ? parseFrame(data) : parseBinaryPublish(data);
      textOf(parsed, "type");
      frame = parsed;
    });
    if (!frame) return undefined;
    const parsed = frame;
    const handle = (): void => {
      if (this.#state === "over") return;
      this.guard(parsed, () => {
        this.#handle(parsed);
      });
    };
    const loading = loadFor(frame);
    if (loading) return loading.then(handle);
    handle();
    return undefined;
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
    const name = partOf(type);
    if (name) this.#handlerOf(name, frame)?.handle(frame);
    else if (type === "refresh") this.#refresh(frame);
    else if (type === "ping") this.sendFrame({ type: "pong", ref, time: this.#now() });
    else throw new FrameError("unknown-type", `unknown type ${JSON.stringify(type)}`);
  }

  /** Returns the part for a frame; consumers end by the same type as subscriptions. */
  #handlerOf(name: PartName, frame: JsonObject): SessionExtension | undefined {
    const queues = this.#parts.get("queues");
    if (frame["type"] === "unsubscribe" && queues?.owns?.(frame)) return queues;
    const part = this.#parts.get(name) ?? createPart(name, this);
    if (part) this.#parts.set(name, part);
    return part;
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
    this.#subject = grant.subject;
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
      subject: this.#subject || undefined,
      expires,
      time: this.#now(),
      broker: broker.isUp ? "up" : "down",
      identity: "verified",
      pingInterval: PING_INTERVAL_MS,
      limits: broker.limits,
      features: FEATURES.split(" "),
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
      if (clock.now() < expires) this.#limitTo(expires);
      else this.close(4201, "the token has expired");
    };
    this.#expiry = clock.setTimeout(expire, Math.min(2 ** 31 - 1, expires - clock.now()));
  }

  #refresh(frame: JsonObject): void {
    const token = textOf(frame, "token");
    const grant = this.host.broker.authenticate(token);
    if ("code" in grant) throw new FrameError("unauthorized", "the token is not accepted");
    if (grant.subject !== this.#subject) {
      const message = "the credential belongs to another client";
      this.sendFrame({ type: "error", ref: frame["ref"], code: "unauthorized", message });
      this.close(4200, "unauthorized");
      return;
    }
    this.#token = token;
    this.#limitTo(grant.expires);
    this.sendFrame({ type: "refreshed", ref: frame["ref"], expires: grant.expires });
  }

  #now(): number {
    return Math.floor(this.host.broker.clock.now());
  }
}
