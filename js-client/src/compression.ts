import { FrameInflater } from "./compressed-frames.js";
import type { Settings } from "./options.js";
import type { WebSocketConstructor, WebSocketLike } from "./socket.js";

type CloseListener = (event: { readonly code: number; readonly reason: string }) => void;

/** Returns settings whose connections accept compressed frames. */
export function accepting(settings: Settings): Settings {
  const { WebSocket } = settings;
  return {
    ...settings,
    WebSocket: WebSocket && inflating(WebSocket),
    createInflater: () => new FrameInflater(),
  };
}

/** Returns a WebSocket class that decompresses the frames of its sockets. */
function inflating(Base: WebSocketConstructor): WebSocketConstructor {
  const create = function (url: string, protocols: string[]): WebSocketLike {
    return new InflatingSocket(new Base(url, protocols));
  };
  return create as unknown as WebSocketConstructor;
}

/**
 * WebSocket that decompresses the frames of another one. A frame that cannot be decompressed ends
 * the connection, and the client resumes by position.
 */
class InflatingSocket implements WebSocketLike {
  readonly #socket: WebSocketLike;
  readonly #inflater = new FrameInflater();
  readonly #closeListeners: CloseListener[] = [];
  #isBroken = false;

  constructor(socket: WebSocketLike) {
    this.#socket = socket;
  }

  set binaryType(type: string) {
    this.#socket.binaryType = type;
  }

  get binaryType(): string {
    return this.#socket.binaryType;
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    this.#socket.send(this.#inflater.onSend(data));
  }

  close(code?: number, reason?: string): void {
    this.#socket.close(code, reason);
  }

  addEventListener(
    type: "open" | "error" | "message" | "close",
    listener: (event: never) => void,
  ): void {
    if (type === "message") this.#onMessage(listener as (event: { data: unknown }) => void);
    else if (type === "close") this.#onClose(listener as CloseListener);
    else this.#socket.addEventListener(type, listener as () => void);
  }

  #onMessage(listener: (event: { data: unknown }) => void): void {
    this.#socket.addEventListener("message", ({ data }) => {
      if (this.#isBroken) return;
      let frame: unknown;
      try {
        frame = this.#inflater.onReceive(data);
      } catch (cause) {
        this.#break(String(cause));
        return;
      }
      listener({ data: frame });
    });
  }

  #onClose(listener: CloseListener): void {
    this.#closeListeners.push(listener);
    this.#socket.addEventListener("close", listener);
  }

  /** Reports the end at once: the close handshake could take long. */
  #break(reason: string): void {
    this.#isBroken = true;
    this.#socket.close(1000);
    for (const listener of this.#closeListeners) listener({ code: 1006, reason });
  }
}
