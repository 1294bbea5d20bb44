import { RENEW } from "./close-codes.js";
import { Emitter } from "./emitter.js";
import { Errands } from "./http-errands.js";
import { Exchange } from "./http-exchange.js";
import type { ConnectionSettings } from "./options.js";
import type { Socket, SocketEnd, SocketMessage } from "./socket.js";
import type { ConnectionEnd } from "./state.js";
import type { Standing } from "./topic-subscription.js";
import type { Route } from "./transport.js";

interface SocketEvents {
  open: undefined;
  error: undefined;
  message: SocketMessage;
  close: SocketEnd;
}

// How long subscriptions are gathered for one renewal of the stream, and between two looks whether
// it can be renewed.
const GATHER_MS = 20;
// Nobody waits for an unsubscribe; what still comes is dropped.
const GATHER_LAZILY_MS = 1_000;
// How long a renewal waits for the answers and replays of the stream that it ends.
const RENEW_AT_LATEST_MS = 5_000;
// How long a client without subscriptions goes on before a WebSocket is tried again.
const IDLE_MS = 300_000;
// How long errands may hold up the end.
const GRACE_MS = 2_000;

// How long a client for which WebSockets have worked stays with HTTP before it looks for one again.
// When a node comes back, many of its clients may come by HTTP.
const MIN_TRIAL_MS = 10_000;
const MAX_TRIAL_MS = 30_000;

/** How long HTTP may be kept to at most, in milliseconds; undefined is as long as a stream lives. */
export function trialTime(route: Route, random: () => number): number | undefined {
  if (!route.isProven || route.httpWorks) return undefined;
  return MIN_TRIAL_MS + random() * (MAX_TRIAL_MS - MIN_TRIAL_MS);
}

/**
 * Stands for a WebSocket where none is to be had. Everything that is said in one turn after `open`
 * makes one request, whose answer is the stream of frames. What is said later and needs another
 * stream is gathered; then `open` comes once more, and everything has to be said again. Publishes
 * are requests of their own.
 */
export class HttpSocket implements Socket {
  readonly textOnly = true;
  binaryType = "arraybuffer";
  readonly #settings: ConnectionSettings;
  readonly #standing: () => Standing;
  readonly #errands: Errands;
  readonly #events = new Emitter<SocketEvents>((thrown) => {
    // Like what a listener of a WebSocket throws.
    queueMicrotask(() => {
      throw thrown;
    });
  });
  /** What the next request says; undefined once that is sent. */
  #frames: string[] | undefined;
  #stream: Exchange | undefined;
  /** Something has come by the stream. */
  #isHeard = false;
  /** The latest that was not sent because there was a stream. */
  #ping: string | undefined;
  /** When the stream is to be renewed, ms since 1970; undefined while there is no need. */
  #renewAt: number | undefined;
  /** Before this no request may be made, ms since 1970. */
  #heldUntil = 0;
  /** The one timer: to open, to renew, for the end of idleness or of errands. */
  #timer: unknown;
  /** The timer for the end of the trial. */
  #trial: unknown;
  /** The node takes no new streams, so what is to be said waits for another link. */
  #isDraining = false;
  #isRetired = false;
  #isClosed = false;

  /**
   * @param standing - How the subscriptions stand of which this socket has taken the frames.
   * @param trialMs - After how long a WebSocket is to be tried again; by default as the node says.
   */
  constructor(settings: ConnectionSettings, standing: () => Standing, trialMs?: number) {
    this.#settings = settings;
    this.#standing = standing;
    this.#errands = new Errands(settings, {
      onAnswer: (data) => {
        // A stream that is dead must not look alive because publishing works.
        this.#events.emit("message", { data, isAside: this.#stream !== undefined });
      },
      onIdle: () => {
        if (this.#isRetired) this.#end({ code: RENEW, reason: "" });
      },
      onLate: () => {
        this.#end({ code: 1006, reason: "no answer to a publish in time" });
      },
      onUnauthorized: () => {
        this.#renewIn(0);
      },
      onRetryAfter: (ms, reason) => {
        this.#hold(ms);
        if (!this.#stream) this.#end({ code: 1006, reason });
      },
    });
    this.#startTimer(0, () => this.#events.emit("open", undefined));
    if (trialMs !== undefined) {
      this.#trial = settings.clock.setTimeout(() => {
        this.#retire();
      }, trialMs);
    }
  }

  addEventListener<Name extends keyof SocketEvents>(
    name: Name,
    listener: (event: SocketEvents[Name]) => void,
  ): void {
    this.#events.add({ [name]: listener });
  }

  send(data: string | Uint8Array): boolean {
    if (this.#isClosed || this.#isRetired || typeof data !== "string") return false;
    switch (typeOf(data)) {
      case "connect":
        this.#begin(data);
        return true;
      case "publish":
        // The node would refuse the request.
        if (this.#isDraining) return false;
        if (this.#isHeld) {
          this.#renewIn(0);
          return false;
        }
        this.#errands.add(data);
        return true;
      case "ping":
        // By a stream nothing can be said, and the node's own pings show that it lives.
        if (this.#stream) this.#ping = data;
        else this.#errands.add(data);
        return true;
      case "refresh":
        this.#renewIn(0);
        return false;
      case "unsubscribe":
        this.#renewIn(GATHER_LAZILY_MS);
        return false;
      default:
        if (this.#frames) return this.#frames.push(data) > 0;
        this.#renewIn(GATHER_MS);
        return false;
    }
  }

  /** Ends everything at once; no `close` is heard. */
  close(): void {
    this.#isClosed = true;
    this.#settings.clock.clearTimeout(this.#timer);
    this.#settings.clock.clearTimeout(this.#trial);
    this.#stream?.abort();
    this.#stream = undefined;
    this.#errands.stop();
  }

  /** The positions that follow are those after the last frame: nothing more may come of the old stream. */
  #begin(connect: string): void {
    this.#settings.clock.clearTimeout(this.#timer);
    this.#renewAt = undefined;
    this.#stream?.abort();
    this.#stream = undefined;
    this.#isHeard = false;
    this.#ping = undefined;
    this.#errands.introduce(connect);
    this.#frames = [connect];
    queueMicrotask(() => void this.#run());
  }

  async #run(): Promise<void> {
    const frames = this.#frames;
    this.#frames = undefined;
    if (!frames || this.#isClosed) return;
    const onData = (data: string | ArrayBuffer | null): void => {
      if (this.#stream === stream) this.#receive(data);
    };
    const stream: Exchange = new Exchange(this.#settings, frames, {
      onText: onData,
      onBinary: onData,
      onPing: () => {
        onData(null);
      },
    });
    this.#stream = stream;
    const { code, reason, retryAfterMs } = await stream.end;
    if (this.#stream !== stream) return;
    this.#stream = undefined;
    this.#hold(retryAfterMs);
    this.#onStreamEnd({ code, reason });
  }

  #receive(data: string | ArrayBuffer | null): void {
    this.#isHeard = true;
    if (typeof data === "string" && isDraining(data)) this.#isDraining = true;
    this.#events.emit("message", { data });
  }

  #onStreamEnd(end: ConnectionEnd): void {
    if (end.code === RENEW) this.#retire();
    else if (end.code !== 1000 || this.#standing() !== "none") this.#end(end);
    else if (this.#renewAt === undefined) this.#idle();
  }

  /** The node ends a stream without subscriptions. There may be some later, or only publishes. */
  #idle(): void {
    if (this.#ping !== undefined) this.#errands.add(this.#ping);
    this.#startTimer(IDLE_MS, () => {
      this.#retire();
    });
  }

  get #isHeld(): boolean {
    return this.#settings.clock.now() < this.#heldUntil;
  }

  /** The node has asked to be left alone; what has to be said waits for a new stream. */
  #hold(ms: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.#settings.clock.now() + ms);
  }

  #renewIn(ms: number): void {
    const now = this.#settings.clock.now();
    const at = Math.max(now + ms, this.#heldUntil);
    if (this.#renewAt !== undefined && this.#renewAt <= at) return;
    this.#renewAt = at;
    this.#startTimer(at - now, () => {
      this.#renew(at + RENEW_AT_LATEST_MS);
    });
  }

  /** Renews the stream when it owes no answer and no replay any more: to cut that would cost a gap. */
  #renew(atLatest: number): void {
    const isPatient = this.#settings.clock.now() < atLatest;
    const mayEnd = this.#isHeard && (this.#standing() !== "opening" || !isPatient);
    if (this.#isDraining || (this.#stream && !mayEnd)) {
      this.#startTimer(GATHER_MS, () => {
        this.#renew(atLatest);
      });
      return;
    }
    // Until everything is said again, which may take a token, the old stream goes on.
    this.#events.emit("open", undefined);
  }

  /** Takes nothing more, and ends as soon as nobody waits for an answer. */
  #retire(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    const end = { code: RENEW, reason: "" };
    if (this.#errands.isIdle) this.#end(end);
    else {
      this.#startTimer(GRACE_MS, () => {
        this.#end(end);
      });
    }
  }

  #end(end: ConnectionEnd): void {
    if (this.#isClosed) return;
    this.close();
    const retryAfterMs = Math.max(0, this.#heldUntil - this.#settings.clock.now());
    this.#events.emit("close", { ...end, retryAfterMs });
  }

  #startTimer(ms: number, run: () => void): void {
    const { clock } = this.#settings;
    clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(run, ms);
  }
}

function isDraining(frame: string): boolean {
  if (!frame.includes('"draining"')) return false;
  return (JSON.parse(frame) as { readonly type?: unknown }).type === "draining";
}

/** The type of a frame of this client, which always stands first. */
function typeOf(frame: string): string | undefined {
  return /^\{"type":"([a-z]+)"/.exec(frame)?.[1];
}
