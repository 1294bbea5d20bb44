import {
  check,
  checkFunction,
  checkOneOf,
  checkOptions,
  checkSelector,
} from "../engine/arguments.js";
import { checkPayloadKind } from "./delivery.js";
import { DeliveryCheck } from "./delivery-check.js";
import { SluiceError } from "../engine/errors.js";
import type { Settings } from "../engine/options.js";
import { Attachment, type AttachmentListener, type PendingDelivery } from "./queue-attachment.js";
import { errorAt, isTransient } from "./queue-error.js";
import type { QueueSession } from "./queue-session.js";
import { nameOf, type Source } from "./source.js";
import type { ConsumeOptions, Consumer, ConsumerState } from "./consumer-types.js";
import type { Delivery, DeliveryHandler } from "./delivery-types.js";

/** Client as used by a consumer. */
export interface ConsumerHost {
  readonly settings: Settings;
  readonly report: (error: SluiceError) => void;
  /** The consumer has ended. */
  onClosed(consumer: QueueConsumer): void;
}

/**
 * Consumer of the application. It attaches to each link of the client in turn. While the client
 * moves, it is attached to two links, and the number of running handlers is still limited.
 */
export class QueueConsumer implements Consumer, AttachmentListener {
  readonly source: Source;
  readonly where: string | undefined;
  /** Kind of the options, or that of the schema once its code is loaded. */
  payload: ConsumeOptions["payload"];
  readonly #host: ConsumerHost;
  readonly #handler: DeliveryHandler;
  readonly #options: ConsumeOptions;
  readonly #check: DeliveryCheck | undefined;
  #credit: number;
  #state: ConsumerState = { status: "pending" };
  #hasConsumed = false;
  /** Attachment to the client's link. */
  #attachment: Attachment | undefined;
  /** Attachment to the link that the client has left; paused once the other one is answered. */
  #previous: Attachment | undefined;
  /** Delivered messages whose handlers wait for others. */
  #waiting: PendingDelivery[] = [];
  #running = 0;
  #failures = 0;
  #retryTimer: unknown;
  #closing: Promise<void> | undefined;
  /** Called when no handler is running. */
  #onIdle: (() => void) | undefined;

  constructor(
    host: ConsumerHost,
    source: Source,
    handler: DeliveryHandler,
    options: ConsumeOptions,
  ) {
    checkFunction("handler", handler);
    checkConsume(options);
    this.#host = host;
    this.source = source;
    this.#handler = handler;
    this.#options = options;
    this.where = options.where;
    this.payload = options.payload;
    const { schemas } = host.settings;
    const isValidated = options.schema ?? (schemas && source.queue === undefined);
    this.#check = isValidated ? new DeliveryCheck(source, options, schemas) : undefined;
    this.#credit = options.credit ?? 1;
    options.signal?.addEventListener("abort", () => void this.close());
  }

  get state(): ConsumerState {
    return this.#state;
  }

  setCredit(credit: number): void {
    checkCredit(credit);
    this.#credit = credit;
    if (!this.#closing) this.#attachment?.setCredit(credit);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Starts to consume on a new link. */
  attach(session: QueueSession): void {
    this.#host.settings.clock.clearTimeout(this.#retryTimer);
    if (!this.#closing) this.#attachment = new Attachment(session, this, this.#credit);
  }

  /** Leaves the link, which remains open until the messages of the attachment are settled. */
  detach(): Attachment | undefined {
    const attachment = this.#attachment;
    this.#host.settings.clock.clearTimeout(this.#retryTimer);
    this.#pausePrevious();
    this.#previous = attachment;
    this.#attachment = undefined;
    if (this.#closing) this.#pausePrevious();
    return attachment;
  }

  /** True if a node has accepted the consumer over any link. */
  get hasConsumed(): boolean {
    return this.#hasConsumed;
  }

  /** Refuses the consumer until the next link. */
  refuse(message: string): void {
    this.#pausePrevious();
    this.#refuse(errorAt(this.source, "unsupported", message));
  }

  /** The client has no link. */
  onLost(): void {
    this.#host.settings.clock.clearTimeout(this.#retryTimer);
    this.#attachment = undefined;
    if (this.#state.status !== "closed") this.#setState({ status: "pending" });
  }

  /** The client is closed. */
  onClientClosed(): void {
    this.onLost();
    this.#closing ??= Promise.resolve();
    this.#setState({ status: "closed" });
  }

  onConsuming(attachment: Attachment): void {
    if (attachment !== this.#attachment) return;
    this.#failures = 0;
    this.#hasConsumed = true;
    this.#pausePrevious();
    this.#setState({ status: "consuming" });
  }

  onDelivery(delivery: PendingDelivery): void {
    if (this.#closing) return;
    this.#waiting.push(delivery);
    this.#startHandlers();
  }

  onSettled(): void {
    this.#waiting = this.#waiting.filter((delivery) => !delivery.isTakenBack);
  }

  onGap(): void {
    const message = "the node lost the broker; messages of the shared subscription may be missing";
    this.#report(errorAt(this.source, "messages-missing", message));
  }

  onEnd(attachment: Attachment, error: SluiceError): void {
    this.onSettled();
    if (attachment !== this.#attachment || error.code === "connection-lost") return;
    this.#attachment = undefined;
    this.#pausePrevious();
    if (isTransient(error)) this.#retry(attachment.session);
    else this.#refuse(error);
  }

  #retry(session: QueueSession): void {
    const { clock, backoff } = this.#host.settings;
    this.#setState({ status: "pending" });
    this.#retryTimer = clock.setTimeout(() => {
      this.attach(session);
    }, backoff(++this.#failures));
  }

  #refuse(error: SluiceError): void {
    this.#setState({ status: "refused", error });
    this.#report(error);
  }

  /**
   * Ends an attachment whose messages cannot be validated, as the code is not loaded. The broker
   * counts each release as a delivery, and would move valid messages to the dead-letter queue.
   */
  #detach(attachment: Attachment, error: SluiceError): void {
    void attachment.close();
    this.onEnd(attachment, error);
  }

  #pausePrevious(): void {
    this.#previous?.setCredit(0);
    this.#previous = undefined;
  }

  #startHandlers(): void {
    // A paused consumer still completes the messages that it has received.
    const max = Math.max(1, this.#credit);
    while (this.#running < max) {
      const delivery = this.#waiting.shift();
      if (!delivery) return;
      this.#running++;
      void this.#handle(delivery);
    }
  }

  async #handle(pending: PendingDelivery): Promise<void> {
    try {
      await this.#run(pending);
    } catch (error) {
      this.#report(error as SluiceError);
    }
    this.#running--;
    this.#startHandlers();
    if (this.#running === 0) this.#onIdle?.();
  }

  /** Runs the handler and settles the message by its outcome. */
  async #run(pending: PendingDelivery): Promise<void> {
    const check = this.#check;
    let delivery: Delivery | undefined;
    try {
      if (check) this.payload = await check.kind();
      delivery = pending.toDelivery();
    } catch (cause) {
      const isKnown = cause instanceof SluiceError;
      if (isKnown && cause.code === "not-sent") {
        this.#detach(pending.attachment, cause);
        return;
      }
      const message = `cannot convert the payload to ${String(this.payload)}`;
      this.#report(isKnown ? cause : errorAt(this.source, "bad-payload", message, cause));
      // Each further delivery of an unreadable or invalid message would fail, too.
      const isInvalid = isKnown ? cause.code === "bad-answer" : check !== undefined;
      await pending.settle(isInvalid ? "reject" : "release");
      return;
    }
    if (check) delivery = await this.#validate(check, delivery, pending);
    if (!delivery) return;
    const isManual = this.#options.ack === "manual";
    let how: "ack" | "release" = "ack";
    try {
      await this.#handler(delivery);
    } catch (cause) {
      how = "release";
      const what = cause instanceof Error ? cause.message : String(cause);
      const message = `the handler of ${nameOf(this.source)} failed: ${what}`;
      this.#report(errorAt(this.source, "handler-failed", message, cause));
    }
    // The handler may have settled the message itself.
    if (!isManual && (pending.isPending || (pending.isTakenBack && how === "ack"))) {
      await pending.settle(how);
    }
  }

  /** Returns the message for the handler; settles it if its payload is invalid. */
  async #validate(
    check: DeliveryCheck,
    delivery: Delivery,
    pending: PendingDelivery,
  ): Promise<Delivery | undefined> {
    const checked = await check.check(delivery);
    if (pending.isTakenBack) return undefined;
    if (!checked.error) return checked.delivery;
    this.#report(checked.error);
    await pending.settle(checked.settlement);
    return undefined;
  }

  async #close(): Promise<void> {
    const { clock } = this.#host.settings;
    clock.clearTimeout(this.#retryTimer);
    this.#waiting = [];
    this.#attachment?.setCredit(0);
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    this.#pausePrevious();
    await this.#attachment?.close();
    this.#host.onClosed(this);
    this.#setState({ status: "closed" });
  }

  #setState(state: ConsumerState): void {
    const before = this.#state.status;
    if (before === "closed" || (before === state.status && before !== "refused")) return;
    this.#state = state;
    try {
      this.#options.onState?.(state);
    } catch (cause) {
      this.#report(errorAt(this.source, "handler-failed", "onState threw", cause));
    }
  }

  #report(error: SluiceError): void {
    (this.#options.onError ?? this.#host.report)(error);
  }
}

/** Throws unless the options of `consume` are valid. */
function checkConsume(options: ConsumeOptions): void {
  checkOptions(
    "consume",
    options,
    "credit ack where payload schema onError onState signal".split(" "),
  );
  const { credit, ack, where, payload, onError, onState } = options;
  if (credit !== undefined) checkCredit(credit);
  if (ack !== undefined) checkOneOf("ack", ["auto", "manual"], ack);
  checkSelector(where);
  checkPayloadKind(payload);
  if (onError !== undefined) checkFunction("onError", onError);
  if (onState !== undefined) checkFunction("onState", onState);
}

function checkCredit(credit: unknown): void {
  check(
    Number.isSafeInteger(credit) && Number(credit) >= 0,
    "credit",
    "a whole number from 0",
    credit,
  );
}
