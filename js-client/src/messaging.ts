import { SluiceError } from "./errors.js";
import type { ErrorFrame, Hello, OtherFrame } from "./frames.js";
import type { JsonObject } from "./json.js";
import type { Link } from "./link.js";
import { toPublication, type Destination, type PublishOptions } from "./publish-options.js";
import type { PendingPublish } from "./pending-publish.js";
import { PublishQueue, type PublishHost } from "./publish-queue.js";
import type { ConsumeOptions, Consumer } from "./consumer-types.js";
import type { DeliveryHandler } from "./delivery-types.js";
import type { BrowseOptions, BrowseResult } from "./queue-types.js";
import type { Source } from "./source.js";
import { errorAt } from "./queue-error.js";
import type { Queues } from "./queues.js";
import type { Reply, RequestHandler, RequestOptions, ServeOptions } from "./request-types.js";
import type { DurableInfo } from "./subscription-types.js";
import type { Transaction } from "./transaction-types.js";

function notYet(where: Parameters<typeof errorAt>[0]): SluiceError {
  return errorAt(where, "unsupported", "this client cannot do this yet");
}

/**
 * Publishing and queues of a client; its module is loaded by the first use. The code for consuming
 * is yet another module.
 */
export class Messaging {
  readonly #host: PublishHost;
  readonly #publishes: PublishQueue;
  #queuesLoading: Promise<Queues> | undefined;
  #queues: Queues | undefined;
  #isClosed = false;
  #link: Link | undefined;
  #hello: Hello | undefined;

  constructor(host: PublishHost) {
    this.#host = host;
    this.#publishes = new PublishQueue(host);
  }

  /** See {@link PublishQueue.pending}. */
  get pending(): readonly PendingPublish[] {
    return this.#publishes.pending;
  }

  /** See {@link PublishQueue.unanswered}. */
  get unanswered(): number {
    return this.#publishes.unanswered;
  }

  publish(
    destination: Destination,
    payload: unknown,
    options: PublishOptions | undefined,
  ): Promise<void> {
    return this.#publishes.publish(toPublication(destination, payload, options));
  }

  request(
    destination: Destination,
    _payload: unknown,
    _options: RequestOptions | undefined,
  ): Promise<Reply> {
    return Promise.reject(notYet(destination));
  }

  serve(
    source: Source,
    _handler: RequestHandler<never>,
    _options: ServeOptions | undefined,
  ): Promise<Consumer> {
    return Promise.reject(notYet(source));
  }

  delete(topic: string, _name: string): Promise<void> {
    return Promise.reject(notYet({ topic }));
  }

  durables(): Promise<readonly DurableInfo[]> {
    return Promise.reject(notYet({}));
  }

  transaction(_build: (transaction: Transaction) => void): Promise<void> {
    return Promise.reject(notYet({}));
  }

  async consume(
    source: Source,
    handler: DeliveryHandler<never>,
    options: ConsumeOptions | undefined,
  ): Promise<Consumer> {
    if (!("queue" in source)) throw notYet(source);
    return (await this.#loadQueues()).consume(source.queue, handler as DeliveryHandler, options);
  }

  async browse(queue: string, options: BrowseOptions | undefined): Promise<BrowseResult> {
    return (await this.#loadQueues()).browse(queue, options);
  }

  /** Sends publishes that a move has paused. */
  flush(): void {
    this.#publishes.flush();
  }

  /** Starts on a new session. */
  onHello(link: Link, hello: Hello): void {
    this.#link = link;
    this.#hello = hello;
    this.#publishes.onHello(link, hello);
    this.#queues?.onHello(link, hello);
  }

  /** Handles a frame that does not concern topics. */
  onFrame({ frame }: OtherFrame): void {
    const { type, ref } = frame as JsonObject;
    if (type === "published") this.#publishes.onAnswer(ref);
    else this.#queues?.onFrame(frame);
  }

  /** Handles an error of the node; returns whether it belongs to a publish or a queue. */
  onError(frame: ErrorFrame, error: SluiceError): boolean {
    return (
      this.#publishes.onAnswer(frame.ref, error) || this.#queues?.onError(frame.ref, error) === true
    );
  }

  /**
   * Handles the move to another link. Returns whether the old link remains open, because messages
   * of queues are pending on it.
   */
  onMove(): boolean {
    return this.#queues?.onMove() === true;
  }

  onLost(): void {
    this.#link = this.#hello = undefined;
    this.#publishes.onLost();
    this.#queues?.onLost();
  }

  onClosed(cause: SluiceError | undefined): void {
    this.#isClosed = true;
    this.#publishes.onClosed(cause);
    this.#queues?.onClosed();
  }

  #loadQueues(): Promise<Queues> {
    this.#queuesLoading ??= import("./queues.js").then(
      ({ Queues }) => {
        this.#queues = new Queues(this.#host);
        if (this.#isClosed) this.#queues.onClosed();
        if (this.#link && this.#hello) this.#queues.onHello(this.#link, this.#hello);
        return this.#queues;
      },
      (cause: unknown) => {
        this.#queuesLoading = undefined;
        throw new SluiceError("not-sent", "cannot load queues.js", undefined, cause);
      },
    );
    return this.#queuesLoading;
  }
}
