import type { ConnectionEnd } from "../engine/state.js";

/** Required part of a WebSocket, common to browsers and Node packages. */
export interface WebSocketLike {
  /** Set to `arraybuffer` before the first message. */
  binaryType: string;
  /** Sends a frame; called only between `open` and `close`. */
  send(data: string | Uint8Array<ArrayBuffer>): void;
  /** Starts the close handshake, or cancels connecting. */
  close(code?: number, reason?: string): void;
  /** Adds a listener for the opening or for an error; `close` follows an error. */
  addEventListener(type: "open" | "error", listener: () => void): void;
  /** Adds a listener for frames: strings or ArrayBuffers. */
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  /** Adds a listener for the end, which is reported once. */
  addEventListener(
    type: "close",
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
}

/** WebSocket class, such as the browser's own. */
export type WebSocketConstructor = new (url: string, protocols: string[]) => WebSocketLike;

/**
 * Carrier of a link: a WebSocket or a substitute. A substitute may provide additional data. It may
 * also emit `open` again at any time, after which everything has to be sent again.
 */
export interface Socket extends Omit<WebSocketLike, "send" | "addEventListener"> {
  /** True if it accepts no binary frames. */
  readonly textOnly?: boolean;
  /** Sends a frame. Returns false if it will not be sent and the next session has to send it. */
  send(data: string | Uint8Array<ArrayBuffer>): unknown;
  addEventListener(type: "open" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: SocketMessage) => void): void;
  addEventListener(type: "close", listener: (event: SocketEnd) => void): void;
}

/** End of a socket. */
export interface SocketEnd extends ConnectionEnd {
  /**
   * Delay that the peer requires before the next attempt, in milliseconds; no WebSocket provides
   * it.
   */
  readonly retryAfterMs?: number;
}

/** Event of a socket that has received data. */
export interface SocketMessage {
  /** A string or an ArrayBuffer; null for a ping, which no WebSocket exposes. */
  readonly data: unknown;
  /** True if the data came outside the stream, and does not prove that the stream is alive. */
  readonly isOutOfBand?: boolean;
}
