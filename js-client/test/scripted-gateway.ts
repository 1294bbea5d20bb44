import { EventEmitter } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import { ScriptedSession } from "./scripted-node.js";
import { until } from "./support.js";

/** Treatment of WebSockets by the network. */
export type Passage = "free" | "refused" | "cut" | "hanging" | "silent";

/** Returns the length of the next chunk of an answer; the last one may be shorter. */
export type Cut = () => number;

/** Encodes a WebSocket frame of a node. */
export function frame(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head.writeUInt8(0x80 | opcode);
  head.writeUInt8(length < 126 ? length : length < 65_536 ? 126 : 127, 1);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

export function closeFrame(code: number, reason = ""): Buffer {
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
  payload.writeUInt16BE(code);
  payload.write(reason, 2);
  return frame(0x8, payload);
}

/** Answer that a session writes like a WebSocket. */
class StreamSocket extends EventEmitter {
  readonly protocol: string;
  readonly #response: ServerResponse;
  readonly #cut: Cut;

  constructor(protocol: string, response: ServerResponse, cut: Cut) {
    super();
    this.protocol = protocol;
    this.#response = response;
    this.#cut = cut;
    response.on("close", () => this.emit("close", 1006));
  }

  send(data: string | Uint8Array): void {
    if (typeof data === "string") this.write(frame(0x1, Buffer.from(data)));
    else this.write(frame(0x2, data));
  }

  ping(): void {
    this.write(frame(0x9, Buffer.alloc(0)));
  }

  close(code: number, reason: string): void {
    this.write(closeFrame(code, reason));
    this.#response.end();
  }

  terminate(): void {
    this.#response.destroy();
  }

  write(bytes: Buffer): void {
    for (let rest = bytes; rest.length > 0;) {
      const piece = rest.subarray(0, this.#cut());
      this.#response.write(piece);
      rest = rest.subarray(piece.length);
    }
  }
}

/** Node side of a request for a stream. */
export class StreamSession extends ScriptedSession {
  /** HTTP request line and headers. */
  readonly request: IncomingMessage;
  readonly #socket: StreamSocket;

  constructor(request: IncomingMessage, body: string, response: ServerResponse, cut: Cut) {
    const { searchParams } = new URL(request.url ?? "", "http://node");
    const socket = new StreamSocket(searchParams.get("protocol") ?? "", response, cut);
    super(socket as unknown as WebSocket);
    this.request = request;
    this.#socket = socket;
    response.writeHead(200).flushHeaders();
    for (const line of body.split("\n")) socket.emit("message", Buffer.from(line), false);
  }

  get isOver(): boolean {
    return this.closeCode !== undefined;
  }

  ping(): void {
    this.#socket.ping();
  }

  /** Writes bytes, which need not be a frame. */
  write(bytes: Buffer): void {
    this.#socket.write(bytes);
  }
}

/** Response that refuses a request. */
interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Real server with both transports, and a simulated proxy. */
export class ScriptedGateway {
  /** Treatment of further WebSockets. */
  passage: Passage = "free";
  /** Refusal of further streams. */
  refusal: Refusal | undefined;
  cut: Cut = () => Infinity;
  /** Called with each stream. */
  onStream: (stream: StreamSession) => void = () => undefined;
  /** Requests with only publishes or pings, separate from the streams. */
  readonly #publishRequests: StreamSession[] = [];
  readonly #streams: StreamSession[] = [];
  readonly #sockets: ScriptedSession[] = [];
  readonly #taken = { errands: 0, streams: 0, sockets: 0 };
  readonly #server: Server;
  readonly #upgrader = new WebSocketServer({ noServer: true });
  readonly #hanging = new Set<Duplex>();
  /** Number of WebSocket upgrade requests. */
  upgrades = 0;
  requests = 0;
  /** Status of the answer to a plain request for the WebSocket's address; 0 for none. */
  endpointStatus = 400;
  endpointText = "not an upgrade\n";
  /** Body of a 431 for plain requests with cookies. */
  cookieRefusal = "";
  /** Number of these requests. */
  probes = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#onUpgrade(request, socket, head);
    });
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      void this.#onRequest(request, response);
    });
  }

  static async start(): Promise<ScriptedGateway> {
    const server = createServer();
    const gateway = new ScriptedGateway(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return gateway;
  }

  get url(): string {
    return `ws://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}/some/ws`;
  }

  /** Returns the next request with a stream. */
  stream(): Promise<StreamSession> {
    return this.#next("streams", this.#streams);
  }

  /** Returns the next request with publishes or pings only. */
  publishRequest(): Promise<StreamSession> {
    return this.#next("errands", this.#publishRequests);
  }

  /** Returns the next WebSocket. */
  socket(): Promise<ScriptedSession> {
    return this.#next("sockets", this.#sockets);
  }

  /** Number of requests with publishes or pings only. */
  get requestCount(): number {
    return this.#publishRequests.length;
  }

  async stop(): Promise<void> {
    for (const session of [...this.#streams, ...this.#publishRequests, ...this.#sockets])
      session.cut();
    for (const socket of this.#hanging) socket.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #next<Session>(
    kind: "errands" | "streams" | "sockets",
    sessions: readonly Session[],
  ): Promise<Session> {
    await until(`one of the ${kind} came`, () => sessions.length > this.#taken[kind]);
    const session = sessions[this.#taken[kind]++];
    if (!session) throw new Error("no session");
    return session;
  }

  #onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.upgrades++;
    socket.on("error", () => undefined);
    switch (this.passage) {
      case "refused":
        socket.end("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        return;
      case "cut":
        socket.destroy();
        return;
      case "hanging":
        this.#hanging.add(socket);
        return;
      case "silent":
        this.#upgrader.handleUpgrade(request, socket, head, () => this.#hanging.add(socket));
        return;
      case "free":
        this.#upgrader.handleUpgrade(request, socket, head, (webSocket) => {
          this.#sockets.push(new ScriptedSession(webSocket));
        });
    }
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET") {
      this.probes++;
      if (this.cookieRefusal && request.headers.cookie !== undefined) {
        response.writeHead(431).end(this.cookieRefusal);
        return;
      }
      if (this.endpointStatus > 0) response.writeHead(this.endpointStatus).end(this.endpointText);
      return;
    }
    this.requests++;
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces).toString();
    if (this.refusal) {
      const { status, headers, text } = this.refusal;
      response.writeHead(status, headers).end(text);
      return;
    }
    const session = new StreamSession(request, body, response, this.cut);
    const errands = ["publish", "list", "delete", "transaction", "ping"];
    const isErrand = errands.some((type) => session.count(type) > 0);
    (isErrand ? this.#publishRequests : this.#streams).push(session);
    if (!isErrand) this.onStream(session);
  }
}
