import { parseBinaryMessage, type BinaryMessage } from "./binary.js";
import { badAnswer } from "./errors.js";
import { parseNodeFrame, type NodeFrame } from "./frames.js";
import type { Settings } from "./options.js";
import type { WebSocketLike } from "./socket.js";
import type { ConnectionEnd } from "./state.js";

/** Hears from a link. Nothing comes after `onEnd`. */
export interface LinkListener {
  /** The WebSocket stands. */
  onOpen(): void;
  /** Anything came; called before it is parsed. */
  onActivity(): void;
  /** A text frame of a known type. */
  onFrame(frame: NodeFrame): void;
  /** A binary message. */
  onBinary(message: BinaryMessage): void;
  /** A frame that breaks the protocol; it is ignored. */
  onBadFrame(error: unknown): void;
  /** It is over. */
  onEnd(end: ConnectionEnd): void;
}

/** One WebSocket, from the first byte to the last. It parses what comes, and knows no more. */
export class Link {
  readonly #socket: WebSocketLike;
  readonly #listener: LinkListener;
  #nextRef = 1;
  #ended = false;

  constructor(settings: Settings, listener: LinkListener) {
    const subprotocol = settings.encoding === "json" ? "sluice.v1.json" : "sluice.v1.bin";
    this.#listener = listener;
    const socket = (this.#socket = new settings.WebSocket(settings.url, [subprotocol]));
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => {
      if (!this.#ended) listener.onOpen();
    });
    socket.addEventListener("message", (event) => {
      this.#receive(event.data);
    });
    socket.addEventListener("close", ({ code, reason }) => {
      this.#end({ code, reason });
    });
    // What went wrong stands in the close event that follows; unheard, some classes would throw.
    socket.addEventListener("error", () => undefined);
  }

  /** A number for the next request. Binary frames have 32 bits for it. */
  nextRef(): number {
    const ref = this.#nextRef;
    this.#nextRef = ref === 0xffffffff ? 1 : ref + 1;
    return ref;
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    if (!this.#ended) this.#socket.send(data);
  }

  /** Closes the WebSocket and calls the listener no more. */
  abandon(): void {
    this.#ended = true;
    this.#socket.close(1000);
  }

  /** Gives the link up as lost: a close handshake with a dead peer could take minutes. */
  giveUp(reason: string): void {
    if (this.#ended) return;
    this.#socket.close(1000);
    this.#end({ code: 1006, reason });
  }

  #end(end: ConnectionEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#listener.onEnd(end);
  }

  #receive(data: unknown): void {
    if (this.#ended) return;
    this.#listener.onActivity();
    try {
      this.#handOn(data);
    } catch (error) {
      this.#listener.onBadFrame(error);
    }
  }

  #handOn(data: unknown): void {
    if (typeof data === "string") {
      const frame = parseNodeFrame(data);
      if (frame) this.#listener.onFrame(frame);
    } else if (data instanceof ArrayBuffer) {
      const message = parseBinaryMessage(data);
      if (message) this.#listener.onBinary(message);
    } else {
      throw badAnswer("neither a string nor an ArrayBuffer");
    }
  }
}
