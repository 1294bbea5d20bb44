import { FrameInflater } from "./compressed-frames.js";
import type { CompressionOptions, Settings } from "../engine/options.js";
import type { WebSocketConstructor, WebSocketLike } from "./socket.js";

type CloseListener = (event: { readonly code: number; readonly reason: string }) => void;

/** Creates the decoder of a connection. */
type CreateInflater = () => FrameInflater;

/**
 * Returns settings whose connections accept compressed frames, until one cannot be decompressed.
 *
 * @param onCorrupt - Receives the error of the first frame that cannot be decompressed.
 */
export function accepting(settings: Settings, onCorrupt: (cause: unknown) => void): Settings {
  const { WebSocket } = settings;
  const { maxMessageBytes }: CompressionOptions =
    typeof settings.compression === "object" ? settings.compression : {};
  let isOff = false;
  /** Decoder that announces itself only before the first failure of the client. */
  class FallibleInflater extends FrameInflater {
    override onSend<Data>(data: Data): Data | string {
      return isOff ? data : super.onSend(data);
    }

    override onReceive(data: unknown): unknown {
      try {
        return super.onReceive(data);
      } catch (cause) {
        if (!isOff) onCorrupt(cause);
        isOff = true;
        throw cause;
      }
    }
  }
  const createInflater: CreateInflater = () => new FallibleInflater(maxMessageBytes);
  return {
    ...settings,
    WebSocket: WebSocket && inflating(WebSocket, createInflater),
    createInflater,
  };
}

/** Returns a WebSocket class that decompresses the frames of its sockets. */
function inflating(Base: WebSocketConstructor, create: CreateInflater): WebSocketConstructor {
  const construct = function (url: string, protocols: string[]): WebSocketLike {
    return new InflatingSocket(new Base(url, protocols), create());
  };
  return construct as unknown as WebSocketConstructor;
}

/**
 * WebSocket that decompresses the frames of another one. A frame that cannot be decompressed ends
 * the connection, and the client resumes by position.
 */
class InflatingSocket implements WebSocketLike {
  readonly #socket: WebSocketLike;
  readonly #inflater: FrameInflater;
  readonly #closeListeners: CloseListener[] = [];
  #isBroken = false;

  constructor(socket: WebSocketLike, inflater: FrameInflater) {
    this.#socket = socket;
    this.#inflater = inflater;
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
