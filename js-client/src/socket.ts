/** What the client needs of a WebSocket: the part that browsers and Node packages agree on. */
export interface WebSocketLike {
  binaryType: string;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: "close",
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
}

/** A WebSocket class, such as the browser's own. */
export type WebSocketConstructor = new (url: string, protocols: string[]) => WebSocketLike;
