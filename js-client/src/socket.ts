import type { ConnectionEnd } from "./state.js";

/** What the client needs of a WebSocket: the part that browsers and Node packages agree on. */
export interface WebSocketLike {
  /** Set to `arraybuffer` at once. */
  binaryType: string;
  /** Sends a frame; called only between `open` and `close`. */
  send(data: string | Uint8Array<ArrayBuffer>): void;
  /** Begins the close handshake, or gives up connecting. */
  close(code?: number, reason?: string): void;
  /** Tells that the WebSocket stands, or that something went wrong; `close` follows that. */
  addEventListener(type: "open" | "error", listener: () => void): void;
  /** Tells of a frame: a string or an ArrayBuffer. */
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  /** Tells of the end, once. */
  addEventListener(
    type: "close",
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
}

/** A WebSocket class, such as the browser's own. */
export type WebSocketConstructor = new (url: string, protocols: string[]) => WebSocketLike;

/**
 * What carries a link: a WebSocket, or what stands for one. The latter may say a little more, and
 * may be open anew at any time: then everything has to be said again.
 */
export interface Socket extends Omit<WebSocketLike, "send" | "addEventListener"> {
  /** It takes no binary frames. */
  readonly textOnly?: boolean;
  /** Returns false if the frame will not be sent: the next session has to say it. */
  send(data: string | Uint8Array<ArrayBuffer>): unknown;
  addEventListener(type: "open" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: SocketMessage) => void): void;
  addEventListener(type: "close", listener: (event: SocketEnd) => void): void;
}

/** How a socket has ended. */
export interface SocketEnd extends ConnectionEnd {
  /** How long the other side wants to be left alone, in milliseconds; no WebSocket shows it. */
  readonly retryAfterMs?: number;
}

/** What a socket has received. */
export interface SocketMessage {
  /** A string or an ArrayBuffer; null for a ping, which no WebSocket shows. */
  readonly data: unknown;
  /** It came beside the stream, and is no sign that the stream lives. */
  readonly isAside?: boolean;
}
