import { parseBinaryMessage, type BinaryMessage } from "./binary.js";
import { badAnswer } from "./errors.js";
import { parseNodeFrame, type NodeFrame } from "./frames.js";
import type { Socket, SocketMessage } from "./socket.js";
import type { ConnectionEnd } from "./state.js";

/** Hears from a link. Nothing comes after `onEnd`. */
export interface LinkListener {
  /** The socket stands. A stream by HTTP that begins anew calls it again. */
  onOpen(): void;
  /** Anything came that shows that the link lives; called before it is parsed. */
  onActivity(): void;
  /** A text frame of a known type. */
  onFrame(frame: NodeFrame): void;
  /** A binary message. */
  onBinary(message: BinaryMessage): void;
  /** A frame that cannot be read. It may have been a message of any subscription. */
  onBadFrame(error: unknown): void;
  /** It is over, and the other side wants to be left alone for so long, in milliseconds. */
  onEnd(end: ConnectionEnd, retryAfterMs: number): void;
}

/** One socket, from the first byte to the last. It parses what comes, and knows no more. */
export class Link {
  readonly #listener: LinkListener;
  #socket: Socket | undefined;
  #nextRef = 1;
  #ended = false;

  /** @param socket - May still have to be loaded. */
  constructor(socket: Socket | Promise<Socket>, listener: LinkListener) {
    this.#listener = listener;
    if (!(socket instanceof Promise)) {
      this.#attach(socket);
      return;
    }
    socket.then(
      (loaded) => {
        this.#attach(loaded);
      },
      (cause: unknown) => {
        this.#end({ code: 1006, reason: `the code for HTTP cannot be loaded: ${String(cause)}` });
      },
    );
  }

  /** Binary frames cannot be sent. */
  get isTextOnly(): boolean {
    return this.#socket?.textOnly === true;
  }

  /** A number for the next request. Binary frames have 32 bits for it. */
  nextRef(): number {
    const ref = this.#nextRef;
    this.#nextRef = ref === 0xffffffff ? 1 : ref + 1;
    return ref;
  }

  /** Returns false if the frame will not be sent: it has to be said when a session opens again. */
  send(data: string | Uint8Array<ArrayBuffer>): boolean {
    return !this.#ended && this.#socket?.send(data) !== false;
  }

  /** Closes the socket and calls the listener no more. */
  abandon(): void {
    this.#ended = true;
    this.#socket?.close(1000);
  }

  /** Gives the link up as lost: a close handshake with a dead peer could take minutes. */
  giveUp(reason: string): void {
    if (this.#ended) return;
    this.#socket?.close(1000);
    this.#end({ code: 1006, reason });
  }

  #attach(socket: Socket): void {
    if (this.#ended) {
      socket.close(1000);
      return;
    }
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => {
      if (!this.#ended) this.#listener.onOpen();
    });
    socket.addEventListener("message", (event) => {
      this.#receive(event);
    });
    socket.addEventListener("close", ({ code, reason, retryAfterMs }) => {
      this.#end({ code, reason }, retryAfterMs);
    });
    // What went wrong stands in the close event that follows; unheard, some classes would throw.
    socket.addEventListener("error", () => undefined);
  }

  #end(end: ConnectionEnd, retryAfterMs = 0): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#listener.onEnd(end, retryAfterMs);
  }

  #receive({ data, isAside }: SocketMessage): void {
    if (this.#ended) return;
    if (isAside !== true) this.#listener.onActivity();
    try {
      this.#handOn(data);
    } catch (error) {
      this.#listener.onBadFrame(error);
    }
  }

  #handOn(data: unknown): void {
    if (data === null) return; // a ping
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
