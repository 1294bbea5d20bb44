import { check, checkObject, checkOneOf } from "./arguments.js";
import type { PayloadKind } from "./message.js";
import { checkKind } from "./payload.js";
import { toFrom, type From } from "./position.js";
import { checkSignal } from "./signal.js";
import { checkTopicOrPattern } from "./topics.js";

/** Options of {@link SluiceClient.subscribe}. All of them may be left out. */
export interface SubscribeOptions {
  /** Where the subscription begins; default `now`. */
  readonly from?: From | undefined;
  /**
   * `all`, the default: every message; a client that takes them too slowly loses its connection and
   * resumes. `latest`: while the client lags, only the newest message of each topic (or key).
   */
  readonly delivery?: "all" | "latest" | undefined;
  /**
   * At most so many messages a second of each topic (or key), the newest ones; 0.001 to 1,000.
   * Implies `latest`. Default: no limit.
   */
  readonly rate?: number | undefined;
  /**
   * What `payload` of the messages shall be: `text`, `json` (parsed) or `bytes` (of UTF-8). Default:
   * as it was published, and `kind` says what it is. A message that cannot be converted is told as
   * the error `bad-payload`, and the next one comes all the same.
   */
  readonly payload?: PayloadKind | undefined;
  /** Ends the subscription when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** The options for the node, checked. What is undefined was not asked for; no `from` is now. */
export interface SubscribeSettings {
  readonly from: From | undefined;
  readonly delivery: "all" | "latest" | undefined;
  readonly rate: number | undefined;
}

const MIN_RATE = 0.001;
const MAX_RATE = 1_000;

/** Checks what the application passed to subscribe; throws what is wrong. */
export function toSubscribeSettings(options: SubscribeOptions): SubscribeSettings {
  checkObject("options", options);
  const { rate } = options;
  const isRate = typeof rate === "number" && rate >= MIN_RATE && rate <= MAX_RATE;
  check(rate === undefined || isRate, "rate", "a number from 0.001 to 1000", rate);
  const { delivery = rate === undefined ? undefined : "latest" } = options;
  checkOneOf("delivery", ["all", "latest"], delivery ?? "all");
  check(!rate || delivery === "latest", "delivery", '"latest" beside a rate', delivery);
  return { from: toFrom(options.from), delivery, rate };
}

/** Checks what the application passed to subscribe; throws what is wrong. */
export function checkSubscribe(topic: string, options: SubscribeOptions): SubscribeSettings {
  checkTopicOrPattern(topic);
  const settings = toSubscribeSettings(options);
  checkKind(options.payload);
  checkSignal(options.signal);
  return settings;
}

/** Throws unless a subscription with the settings `shared` is delivered as is asked for. */
export function checkDelivery(shared: SubscribeSettings, asked: SubscribeSettings): void {
  for (const name of ["delivery", "rate"] as const) {
    const given = shared[name] ?? (name === "rate" ? undefined : "all");
    const isGiven = asked[name] === undefined || asked[name] === given;
    check(isGiven, name, `${String(given)} as the topic is subscribed`, asked[name]);
  }
}
