import { parseBinaryMessage, type BinaryMessage } from "../engine/binary.js";
import { protocolError } from "../engine/errors.js";
import { parseNodeFrame, type NodeFrame } from "../engine/frames.js";
import type { Socket, SocketMessage } from "./socket.js";
import type { ConnectionEnd } from "../engine/state.js";

/** Callbacks of a link. None is called after `onEnd`. */
export interface LinkListener {
  /** The socket is open. Called again when an HTTP stream is renewed. */
  onOpen(): void;
  /** Data has arrived, so the link is alive; called before parsing. */
  onActivity(): void;
  /** A text frame, or a binary frame of another type than a message, has arrived. */
  onFrame(frame: NodeFrame): void;
  /** A binary message has arrived. */
  onBinary(message: BinaryMessage): void;
  /** A frame could not be parsed. It may have been a message of any subscription. */
  onBadFrame(error: unknown): void;
  /** The link has ended; the peer requires this delay before the next attempt, in milliseconds. */
  onEnd(end: ConnectionEnd, retryAfterMs: number): void;
}

/** One socket from open to close; parses the frames that it receives. */
export class Link {
  /** Receives the events of the link; replaced if the link outlives its session. */
  listener: LinkListener;
  #socket: Socket | undefined;
  #nextRef = 1;
  #ended = false;

  /** @param socket - The socket, or a promise while its code is being loaded. */
  constructor(socket: Socket | Promise<Socket>, listener: LinkListener) {
    this.listener = listener;
    const attach = (loaded: Socket): void => {
      this.#attach(loaded);
    };
    if (socket instanceof Promise) {
      socket.then(attach, (cause: unknown) => {
        this.#end({ code: 1006, reason: String(cause) });
      });
    } else attach(socket);
  }

  /** Returns whether the link cannot send binary frames. */
  get isTextOnly(): boolean | undefined {
    return this.#socket?.textOnly;
  }

  /** Returns the number of the next request; binary frames reserve 32 bits for it. */
  nextRef(): number {
    const ref = this.#nextRef;
    this.#nextRef = (ref % 0xffffffff) + 1;
    return ref;
  }

  /** Sends a frame. Returns false if it will not be sent and the next session has to send it. */
  send(data: string | Uint8Array<ArrayBuffer>): boolean {
    return !this.#ended && this.#socket?.send(data) !== false;
  }

  /** Closes the socket without calling the listener. */
  close(): void {
    this.#ended = true;
    this.#socket?.close(1000);
  }

  /**
   * Ends the link without waiting for a close handshake, which could take minutes with a dead peer.
   */
  terminate(reason: string): void {
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
      if (!this.#ended) this.listener.onOpen();
    });
    socket.addEventListener("message", (event) => {
      this.#receive(event);
    });
    socket.addEventListener("close", ({ code, reason, retryAfterMs }) => {
      this.#end({ code, reason }, retryAfterMs);
    });
    // The following close event has the details. Some classes throw if nothing listens to errors.
    socket.addEventListener("error", () => undefined);
  }

  #end(end: ConnectionEnd, retryAfterMs = 0): void {
    if (this.#ended) return;
    this.#ended = true;
    this.listener.onEnd(end, retryAfterMs);
  }

  #receive({ data, isOutOfBand }: SocketMessage): void {
    if (this.#ended) return;
    if (!isOutOfBand) this.listener.onActivity();
    try {
      this.#dispatch(data);
    } catch (error) {
      this.listener.onBadFrame(error);
    }
  }

  #dispatch(data: unknown): void {
    if (data === null) return; // a ping
    if (typeof data === "string") {
      this.listener.onFrame(parseNodeFrame(data));
    } else if (data instanceof ArrayBuffer) {
      const message = parseBinaryMessage(data);
      if (message) this.listener.onBinary(message);
      else this.listener.onFrame({ type: "other", frame: data });
    } else {
      throw protocolError("not UTF-8");
    }
  }
}
