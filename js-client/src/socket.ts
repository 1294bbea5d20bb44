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
