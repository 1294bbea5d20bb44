import { check, checkFunction, checkObject } from "../engine/arguments.js";
import { toContent } from "../engine/content.js";
import type { Delivery, SettleOptions } from "./delivery-types.js";
import { SluiceError } from "../engine/errors.js";
import type { Link } from "../transport/link.js";
import { toContentMembers } from "../engine/publish-frames.js";
import { toPublication, type Destination } from "../engine/publish-options.js";
import type { PublishQueue, QueuedFrame } from "../engine/publish-queue.js";
import { pendingOf, type Ack, type Attachment } from "./queue-attachment.js";
import { endOf, errorAt } from "./queue-error.js";
import type { QueueSession } from "./queue-session.js";
import type { Sessions } from "./sessions.js";
import type { Transaction, TransactionPublishOptions } from "./transaction-types.js";

const UNKNOWN = "the transaction may have been committed";
const NOT_SENT = "the transaction was not sent";

/** Collects the content of a transaction, sends it once, and waits for the answer. */
export async function transact(
  sessions: Sessions,
  publishes: PublishQueue,
  build: (transaction: Transaction) => unknown,
): Promise<void> {
  checkFunction("build", build);
  const content = new Content(sessions);
  const result = build(content);
  content.seal();
  check(!(result instanceof Promise), "build", "a function that returns no promise", result);
  const { published, acks, attachment } = content;
  if (attachment) return acknowledge(attachment, acks, published);
  if (published.length === 0) return undefined;
  return new Promise((resolve, reject) => {
    new PendingTransaction(sessions, publishes, published, resolve, reject).start();
  });
}

/** Content of a transaction. */
class Content implements Transaction {
  readonly published: object[] = [];
  readonly acks: Ack[] = [];
  attachment: Attachment | undefined;
  readonly #sessions: Sessions;
  #isSealed = false;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  publish(
    topic: string | Destination,
    payload: unknown,
    options: TransactionPublishOptions = {},
  ): void {
    this.#checkOpen();
    const destination = typeof topic === "string" ? { topic } : topic;
    checkObject("topic", destination, "a topic, { topic } or { queue }");
    const content = toContent(payload, options);
    const publication = toPublication(destination, content, options, ["id"]);
    this.published.push({ ...publication.destination, ...toContentMembers(publication) });
  }

  ack(delivery: Delivery, { upTo = false }: SettleOptions = {}): void {
    this.#checkOpen();
    const pending = pendingOf(Object(delivery) as Delivery);
    check(pending !== undefined, "delivery", "a message of a consumer of this client", delivery);
    const { attachment, isPending } = pending;
    if (!isPending) throw pending.notPending();
    const isOwn = this.#sessions.has(attachment.session);
    check(isOwn, "delivery", "a message of a consumer of this client", delivery);
    this.attachment ??= attachment;
    check(attachment === this.attachment, "delivery", "of the same consumer as others", delivery);
    this.acks.push([pending, upTo]);
  }

  seal(): void {
    this.#isSealed = true;
  }

  #checkOpen(): void {
    if (this.#isSealed) throw new SluiceError("closed", "the transaction is complete");
  }
}

/** Commits a transaction with acknowledgements, over the link of their consumer. */
async function acknowledge(
  attachment: Attachment,
  acks: readonly Ack[],
  published: readonly object[],
): Promise<void> {
  const { session, place } = attachment;
  const refusal = refusalOf(session, true);
  if (refusal !== undefined) throw errorAt(place, "unsupported", refusal);
  await attachment.transact(acks, published.length > 0 ? published : undefined);
}

/** Returns why the node cannot execute the transaction; undefined if it can. */
function refusalOf(session: QueueSession, hasAcks: boolean): string | undefined {
  if (!session.supports("transactions")) {
    return "the node or its broker does not support transactions";
  }
  return !hasAcks || session.supports("transacted-acks")
    ? undefined
    : "the broker does not support acknowledgements in transactions";
}

/** Transaction that only publishes, from its call to its answer; it waits for a link. */
class PendingTransaction implements QueuedFrame {
  readonly publishes: number;
  readonly #sessions: Sessions;
  readonly #queue: PublishQueue;
  readonly #published: readonly object[];
  readonly #resolve: () => void;
  readonly #reject: (error: unknown) => void;
  #timer: unknown;
  #isSent = false;

  constructor(
    sessions: Sessions,
    queue: PublishQueue,
    published: readonly object[],
    resolve: () => void,
    reject: (error: unknown) => void,
  ) {
    this.#sessions = sessions;
    this.#queue = queue;
    this.#published = published;
    this.publishes = published.length;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    const { clock, publishTimeout } = this.#sessions.host.settings;
    this.#timer = clock.setTimeout(() => {
      const what = this.#isSent ? `no answer in time; ${UNKNOWN}` : `not in time; ${NOT_SENT}`;
      this.#fail("publish-timeout", what);
    }, publishTimeout);
    const refusal = this.#queue.enqueue(this);
    if (refusal !== undefined) this.#fail("publish-queue-full", refusal);
  }

  send(link: Link): boolean {
    const session = this.#sessions.current;
    if (session?.link !== link) return false;
    const refusal = refusalOf(session, false);
    if (refusal === undefined) void this.#commit(session);
    else this.#fail("unsupported", refusal);
    return true;
  }

  onClosed(cause: SluiceError | undefined): void {
    this.#fail(...endOf(cause, NOT_SENT), cause);
  }

  async #commit(session: QueueSession): Promise<void> {
    this.#isSent = true;
    try {
      await session.request({}, { type: "transaction", publish: this.#published });
      this.#end();
      this.#resolve();
    } catch (error) {
      this.#end();
      this.#reject(error);
    }
  }

  #fail(code: string, message: string, cause?: SluiceError): void {
    this.#end();
    this.#reject(new SluiceError(code, message, undefined, cause));
  }

  #end(): void {
    this.#sessions.host.settings.clock.clearTimeout(this.#timer);
    this.#queue.remove(this);
  }
}
