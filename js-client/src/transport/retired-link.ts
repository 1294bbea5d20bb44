import { SluiceError } from "../engine/errors.js";
import type { JsonObject } from "../engine/json.js";
import type { LinkListener } from "./link.js";
import type { PublishHost } from "../engine/publish-queue.js";
import type { Attachment } from "../queues/queue-attachment.js";
import type { QueueSession } from "../queues/queue-session.js";

/** Client as used by a link that it has left. */
export interface RetiredLinkHost {
  readonly host: PublishHost;
  onFrame(frame: JsonObject | ArrayBuffer): void;
  /** The link is closed. */
  onEnd(): void;
}

// Interval between checks whether the link can be closed. A message that the node has sent before
// it received the pause arrives in the meantime.
const POLL_MS = 100;
// Default of the time after which a node takes back messages that are not settled. A draining node
// closes the link earlier.
const MAX_RETIRE_MS = 300_000;

/**
 * Link that the client has left in a move. It remains open until the messages of its consumers are
 * settled, or until a deadline. The messages that are then pending are delivered again.
 */
export class RetiredLink {
  readonly #session: QueueSession;
  readonly #attachments: readonly Attachment[];
  readonly #host: RetiredLinkHost;
  #pollTimer: unknown;
  #deadlineTimer: unknown;
  #wasIdle = false;
  #isClosed = false;

  constructor(session: QueueSession, attachments: readonly Attachment[], host: RetiredLinkHost) {
    this.#session = session;
    this.#attachments = attachments;
    this.#host = host;
    session.link.listener = this.#createListener();
  }

  /** Starts to check whether the link can be closed. */
  start(): void {
    const { clock } = this.#host.host.settings;
    this.#deadlineTimer = clock.setTimeout(() => {
      this.close();
    }, MAX_RETIRE_MS);
    this.#poll();
  }

  /** Closes the link at once. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { clock } = this.#host.host.settings;
    clock.clearTimeout(this.#pollTimer);
    clock.clearTimeout(this.#deadlineTimer);
    this.#session.end();
    this.#session.link.close();
    this.#host.onEnd();
  }

  #poll(): void {
    const isIdle = this.#isIdle;
    if (isIdle && this.#wasIdle) {
      this.close();
      return;
    }
    this.#wasIdle = isIdle;
    this.#pollTimer = this.#host.host.settings.clock.setTimeout(() => {
      this.#poll();
    }, POLL_MS);
  }

  get #isIdle(): boolean {
    const active = this.#attachments.filter(({ isActive }) => isActive);
    return this.#session.size <= active.length && active.every(({ isIdle }) => isIdle);
  }

  #createListener(): LinkListener {
    const ignore = (): void => undefined;
    return {
      onOpen: ignore,
      onActivity: ignore,
      // Topics are delivered by the other link.
      onBinary: ignore,
      onBadFrame: ignore,
      onFrame: (frame) => {
        if (frame.type === "other") this.#host.onFrame(frame.frame);
        else if (frame.type === "error") {
          this.#session.onError(frame.ref, new SluiceError(frame.code, frame.message));
        }
      },
      onEnd: () => {
        this.close();
      },
    };
  }
}
