import type { AddressInfo } from "node:net";
import type { Writable } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import { until } from "./support.js";

/** Time in a scripted node's `subscribed`. */
export const NODE_TIME = 1_763_700_000_000;

type Members = Readonly<Record<string, unknown>>;

/** Node side of a client's connection. */
export class ScriptedSession {
  readonly #socket: WebSocket;
  /** Received text frames, in order. */
  readonly frames: Members[] = [];
  /** Received binary frames, in order. */
  readonly binary: Buffer[] = [];
  readonly subprotocol: string;
  closeCode: number | undefined;
  #read = 0;
  /** Sends that wait for the client's first frame, as those of a node do. */
  #held: (() => void)[] | undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.subprotocol = socket.protocol;
    socket.on("message", (data, isBinary) => {
      const bytes = data as Buffer;
      if (isBinary) this.binary.push(bytes);
      else this.frames.push(JSON.parse(bytes.toString()) as Members);
      const held = this.#held;
      this.#held = undefined;
      held?.forEach((send) => {
        send();
      });
    });
    socket.on("close", (code) => {
      this.closeCode = code;
    });
  }

  /** Returns the next frame of this type; frames in between are skipped. */
  async next(type: string): Promise<Members & { readonly ref: number }> {
    let found: Members | undefined;
    await until(`a client sent ${type}`, () => {
      while (this.#read < this.frames.length && found === undefined) {
        const frame = this.frames[this.#read++];
        if (frame?.["type"] === type) found = frame;
      }
      return found !== undefined;
    });
    return found as Members & { readonly ref: number };
  }

  count(type: string): number {
    return this.frames.filter((frame) => frame["type"] === type).length;
  }

  send(frame: Members): void {
    this.sendRaw(JSON.stringify(frame));
  }

  sendRaw(data: string | Uint8Array): void {
    this.#inOrder(() => {
      this.#socket.send(data);
    });
  }

  #inOrder(send: () => void): void {
    if (this.#held === undefined) send();
    else this.#held.push(send);
  }

  /** Sends hello, as a node does: not before the client's first frame. */
  hello(members: Members = {}): void {
    if (this.frames.length + this.binary.length === 0) this.#held ??= [];
    this.send({
      type: "hello",
      node: "scripted",
      version: "0.1.0",
      time: Date.now(),
      broker: "up",
      pingInterval: 25_000,
      limits: {
        messageBytes: 65_536,
        subscriptions: 1_000,
        topicLength: 255,
        topicDepth: 16,
        publishRate: 100,
        overlap: 16,
      },
      ...members,
    });
  }

  /** Answers the next subscribe; returns it. */
  async subscribed(offset = 0, members: Members = {}): Promise<Members> {
    const subscribe = await this.next("subscribe");
    const { ref, ["topic"]: topic, ["tagged"]: tagged } = subscribe;
    const answer = { ref, topic, tagged, epoch: "1f0a6c2b9d3e4f58", offset, time: NODE_TIME };
    this.send({ type: "subscribed", ...answer, ...members });
    return subscribe;
  }

  message(topic: string, offset: number, payload: string, members: Members = {}): void {
    const id = offset.toString(16).padStart(16, "0");
    this.send({ type: "message", topic, offset, id, time: Date.now(), payload, ...members });
  }

  /** Sends a binary text message on a channel. */
  binaryMessage(channel: number, offset: number, payload: string, id = offset): void {
    const header = Buffer.alloc(20);
    header.writeUInt32BE(channel);
    header.writeUInt8(0x01);
    header.writeUInt32BE(offset % 2 ** 32, 4);
    header.writeUInt32BE(id % 2 ** 32, 12);
    header.writeUInt32BE(Date.now() % 2 ** 32, 16);
    this.sendRaw(Buffer.concat([header, Buffer.from(payload)]));
  }

  close(code: number, reason = ""): void {
    this.#inOrder(() => {
      this.#socket.close(code, reason);
    });
  }

  /** Sends a close frame with any code, also one that RFC 6455 reserves. */
  closeRaw(code: number): void {
    const { _socket: raw } = this.#socket as unknown as { readonly _socket: Writable };
    this.#inOrder(() => raw.write(Buffer.from([0x88, 2, code >> 8, code & 0xff])));
  }

  /** Ends the connection without a close frame. */
  cut(): void {
    this.#socket.terminate();
  }

  /** Stops reading, so that even pings and close frames are not answered. */
  freeze(): void {
    this.#socket.pause();
  }
}

/** Real WebSocket server controlled by a test. */
export class ScriptedNode {
  readonly sessions: ScriptedSession[] = [];
  readonly #server: WebSocketServer;
  #taken = 0;

  private constructor(server: WebSocketServer) {
    this.#server = server;
    server.on("connection", (socket) => this.sessions.push(new ScriptedSession(socket)));
  }

  /** Starts on a free port, or on that of a stopped node. */
  static async start(port = 0): Promise<ScriptedNode> {
    const server = new WebSocketServer({ host: "127.0.0.1", port });
    const node = new ScriptedNode(server);
    await new Promise((resolve) => server.once("listening", resolve));
    return node;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `ws://127.0.0.1:${String(this.port)}/ws`;
  }

  /** Returns the next connection. */
  async session(): Promise<ScriptedSession> {
    await until("a client connected", () => this.sessions.length > this.#taken);
    const session = this.sessions[this.#taken++];
    if (!session) throw new Error("no session");
    return session;
  }

  async stop(): Promise<void> {
    for (const session of this.sessions) session.cut();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}
