import type { SluiceError } from "../engine/errors.js";
import type { Hello } from "../engine/frames.js";
import type { JsonObject } from "../engine/json.js";
import type { Link } from "../transport/link.js";
import type { DeliveryFrame } from "./delivery.js";
import { errorAt, type Place } from "./queue-error.js";

/** Receiver of the frames that answer a request, until the last one. */
export interface Request {
  /** Topic or queue concerned, if any. */
  readonly place: Place;
  /** Handles a frame with the request's number. */
  onFrame(frame: JsonObject): void;
  /** Handles a delivery with the request's number. */
  onDelivery?(delivery: DeliveryFrame): void;
  /** The request has failed, or what it started has ended: by the node, or with its link. */
  onError(error: SluiceError): void;
}

/** Requests on one link, and their answers. */
export class QueueSession {
  readonly link: Link;
  readonly hello: Hello;
  /** Sessions of the client to which this one belongs. */
  readonly owner: object;
  readonly #requests = new Map<number, Request>();
  #hasEnded = false;

  constructor(link: Link, hello: Hello, owner: object) {
    this.link = link;
    this.hello = hello;
    this.owner = owner;
  }

  /** Number of active requests, including consumers. */
  get size(): number {
    return this.#requests.size;
  }

  /** Returns whether the link has ended. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Returns whether the node has an optional feature. */
  supports(feature: string): boolean {
    return this.hello.features?.includes(feature) === true;
  }

  /** Sends a frame with a request number and registers the receiver of its answers. */
  send(frame: JsonObject & { readonly type: string }, request: Request): number {
    const { type, ...members } = frame;
    const ref = this.link.nextRef();
    this.#requests.set(ref, request);
    const text = JSON.stringify({ type, ref, ...members });
    const tooLarge = this.#sizeError(text);
    if (tooLarge !== undefined) this.onError(ref, errorAt({}, "too-large", tooLarge));
    else if (this.#hasEnded || !this.link.send(text)) this.onError(ref, lostError(request.place));
    return ref;
  }

  /** Sends a frame without an answer. */
  notify(frame: JsonObject): void {
    if (!this.#hasEnded) this.link.send(JSON.stringify(frame));
  }

  /** Sends a frame that is answered once; returns the answer. */
  request(place: Place, frame: JsonObject & { readonly type: string }): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const ref: number = this.send(frame, {
        place,
        onFrame: (answer) => {
          this.remove(ref);
          resolve(answer);
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
    request.onError(errorAt(request.place, code, message, cause));
    return true;
  }

  /** Ends all requests, as the link has ended. */
  end(): void {
    this.#hasEnded = true;
    for (const [ref, { place }] of [...this.#requests]) this.onError(ref, lostError(place));
  }

  /** Returns why the node would close the connection permanently; undefined if it would not. */
  #sizeError(text: string): string | undefined {
    const { messageBytes } = this.hello.limits;
    // A character has at most three bytes.
    if (text.length * 3 <= messageBytes) return undefined;
    const { length } = new TextEncoder().encode(text);
    if (length <= messageBytes) return undefined;
    return `frame of ${String(length)} bytes exceeds the limit of the node (${String(messageBytes)} bytes); it was not sent`;
  }
}

function lostError(place: Place): SluiceError {
  return errorAt(place, "connection-lost", "the connection ended before the answer");
}
