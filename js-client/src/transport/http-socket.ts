import { checkPath } from "../engine/diagnosis.js";
import { HttpRequests } from "./http-requests.js";
import { Exchange } from "./http-exchange.js";
import { bufferReason, SILENCE_MS, StreamCount } from "./http-silence.js";
import type { FrameInflater } from "./compressed-frames.js";
import type { ConnectionSettings } from "../engine/options.js";
import type { Socket, SocketEnd, SocketMessage } from "./socket.js";
import type { ConnectionEnd } from "../engine/state.js";
import type { SubscriptionPhase } from "../engine/topic-subscription.js";
import type { Route } from "./transport.js";

interface SocketEvents {
  open: undefined;
  error: undefined;
  message: SocketMessage;
  close: SocketEnd;
}

// Delay in which subscribe requests are batched into one renewal of the stream; also the interval
// between checks whether it can be renewed.
const BATCH_MS = 20;
// An unsubscribe is not urgent: messages that still arrive are dropped.
const UNSUBSCRIBE_BATCH_MS = 1_000;
// Time for which a renewal waits for pending answers and replays of the old stream.
const MAX_RENEWAL_DELAY_MS = 5_000;
// Idle time without subscriptions after which a WebSocket is tried again.
const IDLE_MS = 300_000;
// Time for which requests in flight may delay the end.
const RETIRE_TIMEOUT_MS = 2_000;

// Time for which a client stays with HTTP before it retries WebSocket, if WebSockets have worked
// before. After the restart of a node many of its clients may use HTTP.
const MIN_TRIAL_MS = 10_000;
const MAX_TRIAL_MS = 30_000;

/**
 * Returns how long HTTP may be used before WebSocket is retried, in milliseconds; undefined for the
 * whole stream.
 */
export function trialTime(route: Route, random: () => number): number | undefined {
  if (!route.isProven || route.httpWorks) return undefined;
  return MIN_TRIAL_MS + random() * (MAX_TRIAL_MS - MIN_TRIAL_MS);
}

/**
 * Socket over HTTP, for networks that block WebSockets. All frames sent in the same task after
 * `open` form one request, whose answer is the stream of frames. Later frames that need a new
 * stream are batched: `open` is emitted again, and the client sends everything again. Publishes and
 * other frames that are answered once use separate requests.
 */
export class HttpSocket implements Socket {
  readonly textOnly = true;
  binaryType = "arraybuffer";
  readonly #settings: ConnectionSettings;
  readonly #phase: () => SubscriptionPhase;
  readonly #requests: HttpRequests;
  readonly #listeners: { [Name in keyof SocketEvents]: ((event: SocketEvents[Name]) => void)[] } = {
    open: [],
    error: [],
    message: [],
    close: [],
  };
  /** Frames of the next request; undefined once it is sent. */
  #frames: string[] | undefined;
  #stream: Exchange | undefined;
  /** True if the stream has delivered a frame. */
  #hasReceived = false;
  /** Latest ping that was not sent because of the open stream. */
  #ping: string | undefined;
  /** Scheduled renewal of the stream, ms since 1970; undefined if none is scheduled. */
  #renewAt: number | undefined;
  /** End of the Retry-After delay, ms since 1970. */
  #backOffUntil = 0;
  /** Timer for opening, renewal, idleness or retirement; only one is active. */
  #timer: unknown;
  /** Timer until the diagnosis of a stream without a frame. */
  #silence: unknown;
  readonly #streams: StreamCount;
  /** Timer for the return to WebSocket. */
  #trial: unknown;
  /** The node accepts no new streams; new requests need another link. */
  #isDraining = false;
  #isRetired = false;
  #isClosed = false;
  readonly #probe = new AbortController();
  readonly #inflater: FrameInflater | undefined;

  /**
   * @param phase - State of the subscriptions whose frames this socket has accepted.
   * @param trialMs - Time after which WebSocket is retried; by default the node decides.
   * @param isUnproven - True if no connection of the client has worked. The path is then checked
   * first: the stream has another path, and would also work with a wrong one.
   */
  constructor(
    settings: ConnectionSettings,
    phase: () => SubscriptionPhase,
    trialMs?: number,
    isUnproven = false,
  ) {
    this.#settings = settings;
    this.#inflater = settings.createInflater?.();
    this.#phase = phase;
    this.#streams = new StreamCount(settings, () => this.#hasReceived);
    this.#requests = new HttpRequests(settings, this.#streams, {
      onAnswer: (data) => {
        // Answers to publishes must not make a dead stream look alive.
        this.#emit("message", { data, isOutOfBand: this.#stream !== undefined });
      },
      onIdle: () => {
        if (this.#isRetired) this.#end({ code: this.#settings.renew, reason: "" });
      },
      onTimeout: () => {
        this.#end({ code: 1006, reason: "publish timeout" });
      },
      onUnauthorized: () => {
        this.#renewIn(0);
      },
      onRetryAfter: (ms, reason) => {
        this.#backOff(ms + settings.backoff(1));
        if (!this.#stream) this.#end({ code: 1006, reason });
      },
    });
    this.#awaitFrame();
    this.#startTimer(0, () => {
      if (isUnproven) void this.#openIfProven();
      else this.#emit("open", undefined);
    });
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
    this.#listeners[name].push(listener);
  }

  send(data: string | Uint8Array): boolean {
    if (this.#isClosed || this.#isRetired || typeof data !== "string") return false;
    switch (typeOf(data)) {
      case "connect":
        this.#begin(data);
        return true;
      case "publish":
      case "list":
      case "delete":
      case "transaction":
        // The node would refuse the request.
        if (this.#isDraining) return false;
        if (this.#isBackingOff) {
          this.#renewIn(0);
          return false;
        }
        this.#requests.add(data);
        return true;
      case "ping":
        // A stream carries no client frames; the node's own pings prove that it is alive.
        if (this.#stream) this.#ping = data;
        else this.#requests.add(data);
        return true;
      case "refresh":
        this.#renewIn(0);
        return false;
      case "unsubscribe":
        this.#renewIn(UNSUBSCRIBE_BATCH_MS);
        return false;
      default:
        if (this.#frames) return this.#frames.push(data) > 0;
        this.#renewIn(BATCH_MS);
        return false;
    }
  }

  /** Closes all requests at once without a `close` event. */
  close(): void {
    this.#isClosed = true;
    this.#settings.clock.clearTimeout(this.#timer);
    this.#settings.clock.clearTimeout(this.#trial);
    this.#settings.clock.clearTimeout(this.#silence);
    this.#streams.close();
    this.#probe.abort();
    this.#stream?.abort();
    this.#stream = undefined;
    this.#requests.stop();
  }

  async #openIfProven(): Promise<void> {
    const problem = await checkPath(this.#settings, this.#settings.url, this.#probe.signal);
    if (this.#isClosed) return;
    if (problem === undefined) this.#emit("open", undefined);
    else this.#end({ code: 1006, reason: problem });
  }

  /** Ends this socket with the cause if the first frame of a stream does not arrive. */
  #awaitFrame(): void {
    const { clock, connectTimeout } = this.#settings;
    clock.clearTimeout(this.#silence);
    this.#silence = clock.setTimeout(
      () => void this.#diagnose(),
      Math.min(SILENCE_MS, connectTimeout / 2),
    );
  }

  async #diagnose(): Promise<void> {
    const stream = this.#stream;
    const reason =
      (await this.#streams.limitReason()) ??
      (stream && (await bufferReason(this.#settings, this.#probe.signal)));
    if (reason === undefined || this.#hasReceived || this.#stream !== stream) return;
    this.#end({ code: 1006, reason });
  }

  /**
   * Starts a new stream. The old one is aborted, because the positions that follow are those after
   * its last frame.
   */
  #begin(connect: string): void {
    this.#settings.clock.clearTimeout(this.#timer);
    this.#renewAt = undefined;
    this.#stream?.abort();
    this.#stream = undefined;
    this.#hasReceived = false;
    this.#awaitFrame();
    this.#ping = undefined;
    this.#requests.setConnectFrame(connect);
    this.#frames = [this.#inflater?.onSend(connect) ?? connect];
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
    this.#backOff(retryAfterMs);
    this.#onStreamEnd({ code, reason });
  }

  #receive(data: string | ArrayBuffer | null): void {
    if (!this.#hasReceived) {
      this.#hasReceived = true;
      this.#settings.clock.clearTimeout(this.#silence);
      void this.#streams.warn();
    }
    if (typeof data === "string" && isDraining(data)) this.#isDraining = true;
    let frame: unknown;
    try {
      frame = this.#inflater ? this.#inflater.onReceive(data) : data;
    } catch (cause) {
      this.#end({ code: 1006, reason: String(cause) });
      return;
    }
    this.#emit("message", { data: frame });
  }

  #onStreamEnd(end: ConnectionEnd): void {
    if (end.code === this.#settings.renew) this.#retire();
    else if (end.code !== 1000 || this.#phase() !== "none") this.#end(end);
    else if (this.#renewAt === undefined) this.#idle();
  }

  /**
   * Handles a stream that the node ended because it has no subscriptions. Subscriptions or
   * publishes may follow.
   */
  #idle(): void {
    if (this.#ping !== undefined) this.#requests.add(this.#ping);
    this.#startTimer(IDLE_MS, () => {
      this.#retire();
    });
  }

  get #isBackingOff(): boolean {
    return this.#settings.clock.now() < this.#backOffUntil;
  }

  /** Delays further requests by the node's Retry-After; frames are sent with a new stream. */
  #backOff(ms: number): void {
    this.#backOffUntil = Math.max(this.#backOffUntil, this.#settings.clock.now() + ms);
  }

  #renewIn(ms: number): void {
    const now = this.#settings.clock.now();
    const at = Math.max(now + ms, this.#backOffUntil);
    if (this.#renewAt !== undefined && this.#renewAt <= at) return;
    this.#renewAt = at;
    this.#startTimer(at - now, () => {
      this.#renew(at + MAX_RENEWAL_DELAY_MS);
    });
  }

  /**
   * Renews the stream once no answers and replays are pending: interrupting them would cause a gap.
   */
  #renew(latestAt: number): void {
    const canWait = this.#settings.clock.now() < latestAt;
    const canEnd = this.#hasReceived && (this.#phase() !== "opening" || !canWait);
    if (this.#isDraining || (this.#stream && !canEnd)) {
      this.#startTimer(BATCH_MS, () => {
        this.#renew(latestAt);
      });
      return;
    }
    // The old stream continues until everything is sent again, which may require a token.
    this.#emit("open", undefined);
  }

  /** Accepts no more frames, and ends as soon as no answer is pending. */
  #retire(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    const end = { code: this.#settings.renew, reason: "" };
    if (this.#requests.isIdle) this.#end(end);
    else {
      this.#startTimer(RETIRE_TIMEOUT_MS, () => {
        this.#end(end);
      });
    }
  }

  #end(end: ConnectionEnd): void {
    if (this.#isClosed) return;
    this.close();
    const retryAfterMs = Math.max(0, this.#backOffUntil - this.#settings.clock.now());
    this.#emit("close", { ...end, retryAfterMs });
  }

  #emit<Name extends keyof SocketEvents>(name: Name, event: SocketEvents[Name]): void {
    for (const listener of this.#listeners[name]) {
      try {
        listener(event);
      } catch (thrown) {
        // Rethrown asynchronously, as with a listener of a WebSocket.
        queueMicrotask(() => {
          throw thrown;
        });
      }
    }
  }

  #startTimer(ms: number, run: () => void): void {
    const { clock } = this.#settings;
    clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(run, ms);
  }
}

function isDraining(frame: string): boolean {
  if (!frame.includes('"draining"')) return false;
  try {
    return (JSON.parse(frame) as { readonly type?: unknown }).type === "draining";
  } catch {
    // The client reports an unreadable frame.
    return false;
  }
}

/** Returns the type of a frame of this client; it is always the first member. */
function typeOf(frame: string): string | undefined {
  return /^\{"type":"([a-z]+)"/.exec(frame)?.[1];
}
