import { FrameInflater } from "../transport/compressed-frames.js";
import type { WebSocketConstructor, WebSocketLike } from "../transport/socket.js";
import { Traffic } from "./traffic.js";

/** Observation of a client's connections; {@link observe} creates it. */
export interface Observation {
  /** WebSocket class for the option `WebSocket` of `connect`. */
  readonly WebSocket: WebSocketConstructor;
  /** Ends the connections as if the network had failed. */
  cut(): void;
}

type Listener = (event: never) => void;

/** Observation with its results. */
export class SocketObservation implements Observation {
  readonly WebSocket: WebSocketConstructor;
  readonly traffic = new Traffic();
  readonly #sockets = new Set<ObservedSocket>();

  constructor(Base: WebSocketConstructor) {
    const { traffic } = this;
    const sockets = this.#sockets;
    this.WebSocket = class extends ObservedSocket {
      constructor(url: string, protocols: string[]) {
        super(new Base(url, protocols), traffic);
        sockets.add(this);
        this.addEventListener("close", () => sockets.delete(this));
      }
    };
  }

  cut(): void {
    for (const socket of [...this.#sockets]) socket.cut();
  }
}

/** WebSocket that records its frames. */
class ObservedSocket implements WebSocketLike {
  readonly #socket: WebSocketLike;
  readonly #traffic: Traffic;
  // The client decompresses the frames above this socket, which receives them as they are sent.
  readonly #inflater = new FrameInflater();
  readonly #onClose: Listener[] = [];
  #isCut = false;

  constructor(socket: WebSocketLike, traffic: Traffic) {
    this.#socket = socket;
    this.#traffic = traffic;
    socket.addEventListener("message", ({ data }) => {
      if (!this.#isCut) traffic.onReceived(this.#inflated(data));
    });
  }

  get binaryType(): string {
    return this.#socket.binaryType;
  }

  set binaryType(type: string) {
    this.#socket.binaryType = type;
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    this.#traffic.onSent(data);
    // The frame is not changed: the client announces its own decoder.
    this.#inflater.onSend(data);
    this.#socket.send(data);
  }

  close(code?: number, reason?: string): void {
    this.#socket.close(code, reason);
  }

  addEventListener(type: string, listener: Listener): void {
    if (type === "close") this.#onClose.push(listener);
    this.#socket.addEventListener(
      type as "open",
      ((event: never) => {
        if (!this.#isCut) listener(event);
      }) as () => void,
    );
  }

  #inflated(data: unknown): unknown {
    try {
      return this.#inflater.onReceive(data);
    } catch {
      // The client ends the connection.
      return data;
    }
  }

  /** Reports the end at once, as a close handshake takes time. */
  cut(): void {
    this.#isCut = true;
    this.#socket.close(1000);
    const end = { code: 1006, reason: "cut by the developer panel" };
    for (const listener of this.#onClose) listener(end as never);
  }
}
