import { check } from "./arguments.js";
import type { Client } from "./client-type.js";
import { decisionOf, frameText, withoutQuery, type Direction } from "./debug-frames.js";
import { FrameReader } from "../transport/http-frames.js";
import type { Debug, DebugEntry, Settings } from "./options.js";
import type { WebSocketConstructor, WebSocketLike } from "../transport/socket.js";
import type { ConnectionState } from "./state.js";

/** Debug log of one client. */
class DebugLog {
  readonly #debug: Debug;
  readonly #now: () => number;
  readonly #createInflater: Settings["createInflater"];
  /** Transport of the previous attempt, and the end of the last WebSocket without a hello. */
  #transport = "";
  #webSocketEnd = "";

  constructor({ debug, clock, createInflater }: Settings) {
    this.#debug = debug;
    this.#now = () => clock.now();
    this.#createInflater = createInflater;
  }

  write(kind: DebugEntry["kind"], text: string): void {
    if (typeof this.#debug === "function") this.#debug({ time: this.#now(), kind, text });
    else console.debug(`[sluice] ${kind}: ${text}`);
  }

  onFrame(direction: Direction, data: unknown): void {
    const decision = decisionOf(direction, data);
    if (decision) this.write(decision.kind, decision.text);
    if (typeof this.#debug !== "boolean") this.write("frame", frameText(direction, data));
  }

  /** Returns the listener of one HTTP answer, which logs compressed frames as those of WebSockets. */
  answerListener(): (data: unknown) => void {
    const inflater = typeof this.#debug === "boolean" ? undefined : this.#createInflater?.();
    return (data) => {
      this.onFrame("<-", inflater ? inflater.onReceive(data) : data);
    };
  }

  onAttempt(transport: "WebSocket" | "HTTP", url: string): void {
    if (transport === "HTTP" && this.#transport === "WebSocket") {
      this.write("fallback", `HTTP, because the WebSocket ended ${this.#webSocketEnd}`);
    }
    this.#transport = transport;
    this.write("connect", `${transport} to ${withoutQuery(url)}`);
  }

  onWebSocketEnd(code: number, reason: string): void {
    this.#webSocketEnd = `with ${String(code)}${reason === "" ? "" : ` (${reason})`}`;
  }
}

/**
 * Starts to log a client's decisions.
 *
 * @param problem - Reason why another part of the client is missing, which is logged first.
 * @returns the settings with a WebSocket class and a fetch function that log frames
 * @throws SluiceError `invalid-argument` if the option is invalid; the client connects without a log
 */
export function observe(client: Client, settings: Settings, problem?: string): Settings {
  const { debug, clock, fetch = globalThis.fetch, WebSocket } = settings;
  const isValid = typeof debug === "function" || /^(true|frames)$/.test(String(debug));
  check(isValid, "debug", 'a boolean, ["frames"] or a function', debug);
  const log = new DebugLog(settings);
  if (problem !== undefined) log.write("connect", problem);
  followEvents(client, log, () => clock.now());
  return {
    ...settings,
    WebSocket: WebSocket && logging(WebSocket, log),
    fetch: (input, init) => loggedFetch(fetch, log, input, init),
  };
}

function followEvents(client: Client, log: DebugLog, now: () => number): void {
  client.on("state", (state) => {
    onState(state, log, now());
  });
  client.on("hello", ({ node, broker }) => {
    log.write("open", `node ${node} over ${String(client.transport)}, broker ${broker}`);
  });
  client.on("gap", ({ topic, reason }) => {
    log.write("gap", `${topic}: ${reason}`);
  });
  client.on("moved", ({ from, to }) => {
    log.write("move", `from node ${from} to node ${to}`);
  });
}

function onState(state: ConnectionState, log: DebugLog, now: number): void {
  if (state.status === "closed") log.write("closed", state.error?.message ?? "by the application");
  if (state.status !== "connecting" || state.retryAt === undefined) return;
  const { failures, retryAt, lastEnd } = state;
  const end = lastEnd ? `${String(lastEnd.code)} ${lastEnd.reason}`.trim() : "none";
  const delay = String(Math.max(0, Math.round(retryAt - now)));
  log.write("retry", `in ${delay} ms after ${String(failures)} failures; last end: ${end}`);
}

/** Returns a WebSocket class whose sockets log their frames and their end. */
function logging(Base: WebSocketConstructor, log: DebugLog): WebSocketConstructor {
  const create = function (url: string, protocols: string[]): WebSocketLike {
    log.onAttempt("WebSocket", url);
    const socket = new Base(url, protocols);
    const send = socket.send.bind(socket);
    socket.addEventListener("message", ({ data }) => {
      log.onFrame("<-", data);
    });
    socket.addEventListener("close", ({ code, reason }) => {
      log.onWebSocketEnd(code, reason);
    });
    socket.send = (data): void => {
      log.onFrame("->", data);
      send(data);
    };
    return socket;
  };
  return create as unknown as WebSocketConstructor;
}

async function loggedFetch(
  fetch: typeof globalThis.fetch,
  log: DebugLog,
  input: RequestInfo | URL,
  init: RequestInit | undefined,
): Promise<Response> {
  const { body } = init ?? {};
  if (typeof body !== "string") return fetch(input, init);
  log.onAttempt("HTTP", input instanceof Request ? input.url : String(input));
  for (const frame of body.split("\n")) log.onFrame("->", frame);
  const response = await fetch(input, init);
  if (!response.ok || !response.body) return response;
  const { status, headers } = response;
  return new Response(response.body.pipeThrough(observing(log)), { status, headers });
}

/** Returns a stream that passes the bytes of an answer on and logs its frames. */
function observing(
  log: DebugLog,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const onData = log.answerListener();
  const reader = new FrameReader({ onText: onData, onBinary: onData, onPing: () => undefined });
  return new TransformStream({
    transform(bytes, controller) {
      controller.enqueue(bytes);
      try {
        reader.push(bytes);
      } catch {
        // The client reports an invalid answer.
      }
    },
  });
}
