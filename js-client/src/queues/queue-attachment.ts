import {
  convertPayload,
  toQueueMessage,
  type DeliveredMessage,
  type DeliveryFrame,
} from "./delivery.js";
import { SluiceError } from "../engine/errors.js";
import type { JsonObject } from "../engine/json.js";
import type { PayloadKind } from "../engine/message.js";
import { toContentMembers } from "../engine/publish-frames.js";
import { toReply } from "../engine/publish-options.js";
import { errorAt } from "./queue-error.js";
import type { QueueSession, Request } from "./queue-session.js";
import { nameOf, type Source } from "./source.js";
import type { Delivery, RespondOptions, SettleOptions } from "./delivery-types.js";

/** Consumer as used by its attachment to a link. */
export interface AttachmentListener {
  readonly source: Source;
  readonly where: string | undefined;
  readonly payload: PayloadKind | undefined;
  /** The broker's consumer is active. */
  onConsuming(attachment: Attachment): void;
  onDelivery(delivery: PendingDelivery): void;
  /** A message is settled or not pending any more. */
  onSettled(): void;
  /** Messages of a shared subscription may be missing. */
  onGap(): void;
  /** The node has ended the consumer, or the link has ended. */
  onEnd(attachment: Attachment, error: SluiceError): void;
}

/** Settlement of a message, as the type of its frame. */
type Settlement = "ack" | "release" | "reject";

/** Acknowledged message, and whether all pending ones up to it are acknowledged. */
export type Ack = readonly [delivery: PendingDelivery, upTo: boolean];

// Errors of a transaction after which the consumer's messages return to the queue.
const RELEASING_ERRORS = ["transaction-failed", "broker-unavailable", "connection-lost"];

function covers([{ tag }, upTo]: Ack, other: PendingDelivery): boolean {
  return other.tag === tag || (upTo && other.tag < tag);
}

// By the signal, which copies of the message share.
const deliveries = new WeakMap<AbortSignal, PendingDelivery>();

/** Returns the pending delivery of a message of the application; undefined for other objects. */
export function pendingOf(message: { readonly signal?: unknown }): PendingDelivery | undefined {
  return deliveries.get(message.signal as AbortSignal);
}

/** Consumer on one link: from its `consume` until the link or the consumer ends. */
export class Attachment implements Request {
  readonly place: Source;
  readonly session: QueueSession;
  readonly #listener: AttachmentListener;
  readonly #ref: number;
  readonly #pending = new Map<number, PendingDelivery>();
  #lastTag = 0;
  #isPaused = false;
  #hasEnded = false;

  constructor(session: QueueSession, listener: AttachmentListener, credit: number) {
    this.session = session;
    this.#listener = listener;
    this.place = listener.source;
    const { source, where } = listener;
    this.#ref = session.send({ type: "consume", ...source, credit, where }, this);
  }

  /** Returns whether no message is pending, and none will be delivered. */
  get isIdle(): boolean {
    return this.#hasEnded || (this.#isPaused && this.#pending.size === 0);
  }

  /** Returns whether the consumer is active. */
  get isActive(): boolean {
    return !this.#hasEnded;
  }

  /** Changes the maximum number of pending messages. */
  setCredit(credit: number): void {
    if (this.#hasEnded) return;
    this.#isPaused = credit === 0;
    this.session.notify({ type: "credit", subscription: this.#ref, credit });
  }

  /** Ends the consumer; messages that are still pending return to the queue. */
  async close(): Promise<void> {
    if (this.#hasEnded) return;
    this.#end("the consumer was closed");
    const subscription = this.#ref;
    try {
      await this.session.request(this.place, { type: "unsubscribe", subscription });
    } catch {
      // The consumer has ended with its link.
    }
    this.session.remove(subscription);
  }

  onFrame(frame: JsonObject): void {
    if (this.#hasEnded) return;
    if (frame["type"] === "consuming") this.#listener.onConsuming(this);
    else if (frame["type"] === "released") this.#onReleased(frame);
  }

  onDelivery({ tag, isTagLow, message }: DeliveryFrame): void {
    if (this.#hasEnded) return;
    const next = this.#lastTag + 1;
    this.#lastTag = isTagLow ? next + ((tag - next) >>> 0) : tag;
    const delivery = new PendingDelivery(this, this.#lastTag, message);
    this.#pending.set(this.#lastTag, delivery);
    this.#listener.onDelivery(delivery);
  }

  onError(error: SluiceError): void {
    if (this.#hasEnded) return;
    this.#end(error.message);
    this.#listener.onEnd(this, error);
  }

  /** Returns the message with its payload as requested; throws if it cannot be converted. */
  convert(message: DeliveredMessage): DeliveredMessage {
    return convertPayload(message, this.#listener.payload);
  }

  /** Settles a message, or all up to it. */
  settle(how: Settlement, delivery: PendingDelivery, upTo: boolean): Promise<void> {
    const frame = { type: how, ...this.#toSettled(delivery, upTo) };
    return this.#settle([[delivery, upTo]], frame, (each, error) => {
      each.onNotSettled(error);
    });
  }

  /** Acknowledges messages in a transaction that also publishes. */
  transact(acks: readonly Ack[], publish: readonly object[] | undefined): Promise<void> {
    const ack = acks.map(([delivery, upTo]) => this.#toSettled(delivery, upTo));
    return this.#settle(acks, { type: "transaction", publish, ack }, (each, error) => {
      // After these errors the node returns all messages of the consumer to the queue.
      if (!RELEASING_ERRORS.includes(error.code)) each.onNotSettled(error);
      else each.onTakenBack(`the transaction failed: ${error.message}`);
    });
  }

  /** Publishes a reply to a message. */
  async respond({ tag }: PendingDelivery, content: JsonObject): Promise<void> {
    const frame = { type: "respond", subscription: this.#ref, tag, ...content };
    await this.session.request(this.place, frame);
  }

  /** Sends a frame that settles messages, and applies the answer to them. */
  async #settle(
    acks: readonly Ack[],
    frame: JsonObject & { readonly type: string },
    onFailed: (delivery: PendingDelivery, error: SluiceError) => void,
  ): Promise<void> {
    const settled = [...this.#pending.values()].filter(
      (each) => each.isPending && acks.some((ack) => covers(ack, each)),
    );
    for (const each of settled) each.onSettling();
    try {
      await this.session.request(this.place, frame);
      for (const each of settled) each.onSettled();
    } catch (error) {
      for (const each of settled) onFailed(each, error as SluiceError);
      throw error;
    } finally {
      for (const each of settled) if (!each.isPending) this.#pending.delete(each.tag);
      this.#listener.onSettled();
    }
  }

  #toSettled({ tag }: PendingDelivery, upTo: boolean): JsonObject {
    return { subscription: this.#ref, tag, upTo: upTo || undefined };
  }

  #onReleased({ tag, reason }: JsonObject): void {
    const released =
      tag === undefined ? [...this.#pending.values()] : [this.#pending.get(tag as number)];
    for (const delivery of released) {
      if (!delivery) continue;
      this.#pending.delete(delivery.tag);
      delivery.onTakenBack(`the node has taken the message back (${String(reason)})`);
    }
    this.#listener.onSettled();
    if (tag === undefined && this.place.shared !== undefined) this.#listener.onGap();
  }

  #end(reason: string): void {
    this.#hasEnded = true;
    for (const delivery of this.#pending.values()) delivery.onTakenBack(reason);
    this.#pending.clear();
  }
}

/** Delivered message and its settlement. */
export class PendingDelivery {
  readonly tag: number;
  readonly attachment: Attachment;
  readonly #message: DeliveredMessage | SluiceError;
  #state: "pending" | "settling" | "settled" | "taken-back" = "pending";
  #reason = "";
  #abort: AbortController | undefined;

  constructor(attachment: Attachment, tag: number, message: DeliveredMessage | SluiceError) {
    this.attachment = attachment;
    this.tag = tag;
    this.#message = message;
  }

  /** Returns whether the message can be settled. */
  get isPending(): boolean {
    return this.#state === "pending";
  }

  /** Returns whether the message can be delivered to the application. */
  get isTakenBack(): boolean {
    return this.#state === "taken-back";
  }

  /** Returns the message for the application; throws if it is unreadable or cannot be converted. */
  toDelivery(): Delivery {
    const { place } = this.attachment;
    if (this.#message instanceof SluiceError) {
      throw errorAt(place, "bad-answer", this.#message.message, this.#message.cause);
    }
    const abort = (this.#abort = new AbortController());
    const message = this.attachment.convert(this.#message);
    deliveries.set(abort.signal, this);
    return {
      ...toQueueMessage(place, message),
      signal: abort.signal,
      ack: (options) => this.settle("ack", options),
      release: (options) => this.settle("release", options),
      reject: (options) => this.settle("reject", options),
      respond: (payload, options) => this.#respond(payload, options),
    };
  }

  /** Settles the message. */
  settle(how: Settlement, { upTo = false }: SettleOptions = {}): Promise<void> {
    if (this.isPending) return this.attachment.settle(how, this, upTo);
    return Promise.reject(this.notPending());
  }

  /** Returns the error for a message that is not pending. */
  notPending(): SluiceError {
    const { place } = this.attachment;
    const reason = this.#reason || "it was settled before";
    const message = `message ${String(this.tag)} of ${nameOf(place)} is not pending: ${reason}`;
    return errorAt(place, "not-pending", message);
  }

  async #respond(payload: unknown, options: RespondOptions | undefined): Promise<void> {
    const reply = toReply(payload, options);
    if (!this.isPending) throw this.notPending();
    await this.attachment.respond(this, toContentMembers(reply));
  }

  onSettling(): void {
    this.#state = "settling";
  }

  onSettled(): void {
    this.#state = "settled";
  }

  /** Handles a failed settlement, which may be repeated unless the message is not pending. */
  onNotSettled({ code, message }: SluiceError): void {
    if (code === "not-pending") this.onTakenBack(message);
    else if (this.#state === "settling") this.#state = "pending";
  }

  /** The broker delivers the message again. */
  onTakenBack(reason: string): void {
    this.#state = "taken-back";
    this.#reason = reason;
    this.#abort?.abort();
  }
}
