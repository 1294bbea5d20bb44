import { BlobReads } from "./blob-reads.js";
import type { ConsumeOptions, Consumer } from "../queues/consumer-types.js";
import type { DeliveryHandler } from "../queues/delivery-types.js";
import { SluiceError } from "./errors.js";
import type { ErrorFrame, Hello, OtherFrame } from "./frames.js";
import type { JsonObject } from "./json.js";
import { Lazy } from "./lazy.js";
import type { Link } from "../transport/link.js";
import type { PendingPublish } from "./pending-publish.js";
import type { Presence, PresenceOptions } from "../queues/presence-types.js";
import { toPublication, type Destination, type PublishOptions } from "./publish-options.js";
import { PublishChecks } from "./publish-checks.js";
import { PublishQueue, type PublishHost } from "./publish-queue.js";
import type { BrowseOptions, BrowseResult } from "../queues/queue-types.js";
import type {
  Reply,
  RequestHandler,
  RequestOptions,
  ServeOptions,
} from "../queues/request-types.js";
import type { Sessions } from "../queues/sessions.js";
import type { Source } from "../queues/source.js";
import type { DurableList } from "../queues/subscription-types.js";
import type { Transaction } from "../queues/transaction-types.js";

/**
 * Publishing, requests and queues of a client; its module is loaded by the first use. The code for
 * all but publishing is in further modules.
 */
export class Messaging {
  readonly #host: PublishHost;
  readonly #publishes: PublishQueue;
  readonly #checks: PublishChecks | undefined;
  readonly #blobs = new BlobReads();
  #isClosed = false;
  /** Error of calls from before the latest change of the identity. */
  #identityError: SluiceError | undefined;
  #link: Link | undefined;
  #hello: Hello | undefined;

  readonly #sessions = new Lazy("sessions.js", async () => {
    const { Sessions } = await import("../queues/sessions.js");
    const sessions = new Sessions(this.#host);
    if (this.#isClosed) sessions.onClosed();
    if (this.#link && this.#hello) sessions.onHello(this.#link, this.#hello);
    return sessions;
  });

  readonly #queues = this.#withSessions(
    "queues.js",
    () => import("../queues/queues.js"),
    (sessions, { Queues }) => new Queues(sessions),
  );

  readonly #requests = this.#withSessions(
    "requests.js",
    () => import("../queues/requests.js"),
    (sessions, { request }) => ({ sessions, request }),
  );

  readonly #serving = new Lazy("serve.js", () => import("../queues/serve.js"));

  readonly #durables = this.#withSessions(
    "durables.js",
    () => import("../queues/durables.js"),
    (sessions, { Durables }) => new Durables(sessions),
  );

  readonly #transactions = this.#withSessions(
    "transactions.js",
    () => import("../queues/transactions.js"),
    (sessions, { transact }) => ({ sessions, transact }),
  );

  readonly #presences = this.#withSessions(
    "presence.js",
    () => import("../queues/presence.js"),
    (sessions, { Presences }) => new Presences(sessions),
  );

  constructor(host: PublishHost) {
    this.#host = host;
    this.#publishes = new PublishQueue(host);
    const { schemas } = host.settings;
    this.#checks = schemas && new PublishChecks(schemas);
  }

  /** See {@link PublishQueue.pending}. */
  get pending(): readonly PendingPublish[] {
    return this.#publishes.pending;
  }

  /** See {@link PublishQueue.unanswered}. */
  get unanswered(): number {
    return this.#publishes.unanswered;
  }

  /** Does nothing: creating this object loads the stored publishes. */
  start(): Promise<void> {
    return Promise.resolve();
  }

  /** @param subject - Subject of the caller; by default that of the session. */
  async publish(
    destination: Destination,
    payload: unknown,
    options: PublishOptions | undefined,
    subject?: string,
  ): Promise<void> {
    const read = this.#read(payload);
    const content = read ? await read : payload;
    const publication = toPublication(destination, content, options);
    if (this.#checks) await this.#check(this.#checks, destination, content);
    await this.#publishes.publish(publication, subject);
  }

  /** Returns the content behind that of earlier calls; undefined if there is nothing to wait for. */
  #read(payload: unknown): Promise<unknown> | undefined {
    const before = this.#identityError;
    return this.#blobs.read(payload)?.then((content) => {
      this.#checkIdentity(before);
      return content;
    });
  }

  /** Checks a payload, unless the identity changes during this time. */
  async #check(checks: PublishChecks, destination: Destination, payload: unknown): Promise<void> {
    const before = this.#identityError;
    await checks.check(destination, payload);
    this.#checkIdentity(before);
  }

  /** Calls a function with a module, unless the identity changes while that is being loaded. */
  #use<Value, Result>(
    lazy: Lazy<Value>,
    call: (value: Value) => Result | Promise<Result>,
  ): Promise<Result> {
    const before = this.#identityError;
    return lazy.use((value) => {
      this.#checkIdentity(before);
      return call(value);
    });
  }

  #checkIdentity(before: SluiceError | undefined): void {
    const after = this.#identityError;
    if (after !== undefined && after !== before) throw after;
  }

  async request(
    destination: Destination,
    payload: unknown,
    options: RequestOptions | undefined,
  ): Promise<Reply> {
    const read = this.#read(payload);
    const content = read ? await read : payload;
    if (this.#checks) await this.#check(this.#checks, destination, content);
    return this.#use(this.#requests, ({ sessions, request }) =>
      request(sessions, this.#publishes, destination, content, options),
    );
  }

  consume(
    source: Source,
    handler: DeliveryHandler<never>,
    options: ConsumeOptions | undefined,
  ): Promise<Consumer> {
    return this.#queues.use((queues) =>
      queues.consume(source, handler as DeliveryHandler, options),
    );
  }

  serve(
    source: Source,
    handler: RequestHandler<never>,
    options: ServeOptions | undefined,
  ): Promise<Consumer> {
    return this.#serving.use(({ checkServe, replying }) => {
      checkServe(options);
      return this.consume(source, replying(this.#host, handler, options), options);
    });
  }

  browse(
    { queue }: Source,
    _content: unknown,
    options: BrowseOptions | undefined,
  ): Promise<BrowseResult> {
    return this.#use(this.#queues, (queues) => queues.browse(queue ?? "", options));
  }

  delete(source: Source): Promise<void> {
    return this.#use(this.#durables, (durables) => durables.delete(source));
  }

  durables(): Promise<DurableList> {
    return this.#use(this.#durables, (durables) => durables.list());
  }

  transaction(_source: Source, build: (transaction: Transaction) => void): Promise<void> {
    return this.#use(this.#transactions, ({ sessions, transact }) =>
      transact(sessions, this.#publishes, build),
    );
  }

  presence(
    { topic }: Source,
    _content: unknown,
    options: PresenceOptions | undefined,
  ): Promise<Presence> {
    return this.#use(this.#presences, (presences) => presences.open(topic ?? "", options));
  }

  /** Sends what a move has paused. */
  flush(): void {
    this.#publishes.flush();
  }

  /** Starts on a new session. */
  onHello(link: Link, hello: Hello): void {
    this.#link = link;
    this.#hello = hello;
    this.#sessions.value?.onHello(link, hello);
    this.#publishes.onHello(link, hello);
  }

  /** The node has accepted another credential: requests what was refused. */
  onCredential(): void {
    this.#sessions.value?.onCredential();
  }

  /** Handles a frame that does not concern topics. */
  onFrame({ frame }: OtherFrame): void {
    const { type, ref } = frame as JsonObject;
    if (type === "published" && this.#publishes.onAnswer(ref)) return;
    this.#sessions.value?.onFrame(frame);
  }

  /** Handles an error of the node; returns whether it belongs to a publish or another request. */
  onError(frame: ErrorFrame, error: SluiceError): boolean {
    return (
      this.#publishes.onAnswer(frame.ref, error) ||
      this.#sessions.value?.onError(frame.ref, error) === true
    );
  }

  /**
   * Handles the move to another link. Returns whether the old link remains open, because answers or
   * messages of queues are pending on it.
   */
  onMove(): boolean {
    return this.#sessions.value?.onMove() === true;
  }

  onLost(): void {
    this.#link = this.#hello = undefined;
    this.#publishes.onLost();
    this.#sessions.value?.onLost();
  }

  /**
   * Drops what the previous subject has requested; consumers continue on the next session.
   *
   * @param to - Subject of the next session, if `from` is that of the previous one.
   */
  onIdentityChanged(from: string | undefined, to: string | undefined): void {
    const error = new SluiceError("identity-changed", "the credential has another subject");
    this.#identityError = error;
    this.#publishes.onIdentityChanged(error, from, to);
    this.#sessions.value?.onIdentityChanged(error);
  }

  onClosed(cause: SluiceError | undefined): void {
    this.#isClosed = true;
    this.#publishes.onClosed(cause);
    this.#sessions.value?.onClosed();
  }

  #withSessions<Module, Value>(
    name: string,
    load: () => Promise<Module>,
    create: (sessions: Sessions, module: Module) => Value,
  ): Lazy<Value> {
    return new Lazy(name, async () => {
      const [sessions, module] = await Promise.all([this.#sessions.get(), load()]);
      return create(sessions, module);
    });
  }
}
