import { invalidArgument } from "./errors.js";
import { toFrom, type From } from "./position.js";

/** Options of {@link SluiceClient.subscribe}. All of them may be left out. */
export interface SubscribeOptions {
  /** Where the subscription begins; default `now`. */
  readonly from?: From;
  /**
   * `all`, the default: every message; a client that takes them too slowly loses its connection and
   * resumes. `latest`: while the client lags, only the newest message of each topic (or key).
   */
  readonly delivery?: "all" | "latest";
  /**
   * At most so many messages a second of each topic (or key), the newest ones; 0.001 to 1,000.
   * Implies `latest`. Default: no limit.
   */
  readonly rate?: number;
}

/** The options checked. What is undefined was not asked for; no `from` is now. */
export interface SubscribeSettings {
  readonly from: From | undefined;
  readonly delivery: "all" | "latest" | undefined;
  readonly rate: number | undefined;
}

const MIN_RATE = 0.001;
const MAX_RATE = 1_000;

/** Checks what the application passed to subscribe; throws what is wrong. */
export function toSubscribeSettings(options: SubscribeOptions): SubscribeSettings {
  if (typeof options !== "object" || (options as unknown) === null) {
    throw invalidArgument("options", "an object", options);
  }
  const rate = toRate(options.rate);
  return { from: toFrom(options.from), delivery: toDelivery(options.delivery, rate), rate };
}

/** Throws unless a subscription with the settings `shared` gives all that is asked for. */
export function checkShared(shared: SubscribeSettings, asked: SubscribeSettings): void {
  if (asked.from !== undefined) {
    throw invalidArgument("from", "left out for a topic that is subscribed already", asked.from);
  }
  const { delivery = "all", rate } = shared;
  if (asked.delivery !== undefined && asked.delivery !== delivery) {
    throw invalidArgument("delivery", `"${delivery}" as the topic is subscribed`, asked.delivery);
  }
  if (asked.rate !== undefined && asked.rate !== rate) {
    throw invalidArgument("rate", `${String(rate)} as the topic is subscribed`, asked.rate);
  }
}

function toRate(rate: unknown): number | undefined {
  if (rate === undefined) return undefined;
  if (typeof rate === "number" && rate >= MIN_RATE && rate <= MAX_RATE) return rate;
  throw invalidArgument("rate", "a number from 0.001 to 1000", rate);
}

function toDelivery(delivery: unknown, rate: number | undefined): SubscribeSettings["delivery"] {
  if (delivery === undefined) return rate === undefined ? undefined : "latest";
  if (delivery === "latest") return delivery;
  if (delivery !== "all") throw invalidArgument("delivery", '"all" or "latest"', delivery);
  if (rate !== undefined) throw invalidArgument("delivery", '"latest" beside a rate', delivery);
  return delivery;
}
