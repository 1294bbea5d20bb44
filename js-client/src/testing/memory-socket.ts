import type { WebSocketConstructor, WebSocketLike } from "../transport/socket.js";
import type { EventQueue } from "./event-queue.js";

/** Data of one frame. */
export type FrameData = string | ArrayBuffer;

/** Receiver of a client's frames at a node. */
export interface Peer {
  /** Handles a frame; the next one follows when a returned promise is settled. */
  onFrame(data: FrameData): unknown;
  /** Called once, unless the node has ended the connection. */
  onClose(code: number): void;
}

/** Node's end of a connection. */
export interface NodeEnd {
  send(data: FrameData): void;
  /** Closes the connection after the frames that were sent. */
  close(code: number, reason: string): void;
  /** Ends the connection at once; frames in flight are lost in both directions. */
  abort(code: number, reason: string): void;
}

/** Network of nodes without any socket of the operating system. */
export interface Network {
  readonly events: EventQueue;
  /** Returns the session of a new connection; undefined if it is refused. */
  accept(url: string, protocol: string, end: NodeEnd): Peer | undefined;
}

interface SocketEvent {
  readonly data?: unknown;
  readonly code: number;
  readonly reason: string;
}

type Listener = (event: SocketEvent) => void;

const NO_EVENT: SocketEvent = { code: 0, reason: "" };

/** Client's end of an in-memory connection. */
class MemorySocket implements WebSocketLike {
  binaryType = "blob";
  readonly #network: Network;
  readonly #listeners: { readonly type: string; readonly listener: Listener }[] = [];
  #peer: Peer | undefined;
  #hasEnded = false;
  /** The node has ended the connection; its close event is queued. */
  #isAborted = false;

  constructor(network: Network, url: string, protocol: string) {
    this.#network = network;
    this.#post(() => {
      this.#open(url, protocol);
    });
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.push({ type, listener: listener as Listener });
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    const copy = typeof data === "string" ? data : data.slice().buffer;
    this.#post(() => (this.#isAborted ? undefined : this.#peer?.onFrame(copy)));
  }

  close(code = 1005, reason = ""): void {
    this.#post(() => {
      if (!this.#isAborted) this.#peer?.onClose(code);
      this.#end(code, reason);
    });
  }

  #open(url: string, protocol: string): void {
    this.#peer = this.#network.accept(url, protocol, this.#nodeEnd());
    if (this.#peer) {
      this.#emit("open", NO_EVENT);
      return;
    }
    this.#emit("error", NO_EVENT);
    this.#end(1006, "");
  }

  #nodeEnd(): NodeEnd {
    const end = (code: number, reason: string): void => {
      this.#post(() => {
        this.#end(code, reason);
      });
    };
    return {
      send: (data) => {
        this.#post(() => {
          if (!this.#isAborted) this.#emit("message", { ...NO_EVENT, data });
        });
      },
      close: end,
      abort: (code, reason) => {
        this.#isAborted = true;
        end(code, reason);
      },
    };
  }

  #end(code: number, reason: string): void {
    this.#hasEnded = true;
    this.#emit("close", { code, reason });
  }

  /** Queues an event that is dropped if the connection has ended by then. */
  #post(event: () => unknown): void {
    this.#network.events.post(() => (this.#hasEnded ? undefined : event()));
  }

  #emit(type: string, event: SocketEvent): void {
    for (const each of this.#listeners) if (each.type === type) each.listener(event);
  }
}

/** Returns the WebSocket class of a network, for the option `WebSocket` of `connect`. */
export function socketClass(network: Network): WebSocketConstructor {
  return class extends MemorySocket {
    constructor(url: string, protocols: string[]) {
      super(network, url, protocols[0] ?? "");
    }
  };
}
