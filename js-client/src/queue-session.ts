import type { SluiceError } from "./errors.js";
import type { JsonObject } from "./json.js";
import type { Link } from "./link.js";
import type { DeliveryFrame } from "./delivery.js";
import { queueError } from "./queue-error.js";

/** Receiver of the frames that answer a request, until the last one. */
export interface Request {
  readonly queue: string;
  /** Handles a frame with the request's number. */
  onFrame(frame: JsonObject): void;
  /** Handles a delivery with the request's number. */
  onDelivery?(delivery: DeliveryFrame): void;
  /** The request has failed, or what it started has ended: by the node, or with its link. */
  onError(error: SluiceError): void;
}

/** Requests for queues on one link, and their answers. */
export class QueueSession {
  readonly link: Link;
  readonly #requests = new Map<number, Request>();
  #hasEnded = false;

  constructor(link: Link) {
    this.link = link;
  }

  /** Number of active requests, including consumers. */
  get size(): number {
    return this.#requests.size;
  }

  /** Sends a frame with a request number and registers the receiver of its answers. */
  send(frame: JsonObject & { readonly type: string }, request: Request): number {
    const { type, ...members } = frame;
    const ref = this.link.nextRef();
    this.#requests.set(ref, request);
    const isSent = !this.#hasEnded && this.link.send(JSON.stringify({ type, ref, ...members }));
    if (!isSent) this.onError(ref, lostError(request.queue));
    return ref;
  }

  /** Sends a frame without an answer. */
  notify(frame: JsonObject): void {
    if (!this.#hasEnded) this.link.send(JSON.stringify(frame));
  }

  /** Sends a frame that is answered once. */
  request(queue: string, frame: JsonObject & { readonly type: string }): Promise<void> {
    return new Promise((resolve, reject) => {
      const ref: number = this.send(frame, {
        queue,
        onFrame: () => {
          this.remove(ref);
          resolve();
        },
        onError: reject,
      });
    });
  }

  /** Removes a request that has its last answer. */
  remove(ref: number): void {
    this.#requests.delete(ref);
  }

  /** Handles a frame with the number of a request; ignores unknown numbers. */
  onFrame(frame: JsonObject): void {
    this.#requests.get(frame["ref"] as number)?.onFrame(frame);
  }

  onDelivery(delivery: DeliveryFrame): void {
    this.#requests.get(delivery.ref)?.onDelivery?.(delivery);
  }

  /** Handles an error; returns whether it belongs to a request, which has then ended. */
  onError(ref: number | undefined, error: SluiceError): boolean {
    const request = this.#requests.get(ref ?? NaN);
    if (ref === undefined || !request) return false;
    this.#requests.delete(ref);
    const { code, message, cause } = error;
    request.onError(queueError(request.queue, code, message, cause));
    return true;
  }

  /** Ends all requests, as the link has ended. */
  end(): void {
    this.#hasEnded = true;
    for (const [ref, { queue }] of [...this.#requests]) this.onError(ref, lostError(queue));
  }
}

function lostError(queue: string): SluiceError {
  const message = "the connection ended before the answer";
  return queueError(queue, "connection-lost", message);
}
