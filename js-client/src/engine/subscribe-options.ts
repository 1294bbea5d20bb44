import { check, checkObject, checkOneOf, checkSelector } from "./arguments.js";
import type { PayloadKind } from "./message.js";
import { toFrom, type From } from "./position.js";
import type { StandardSchema } from "./standard-schema.js";

/** Options of {@link Client.subscribe}. All of them are optional. */
export interface SubscribeOptions {
  /** Start of the subscription; default `now`. */
  readonly from?: From | undefined;
  /**
   * Delivery mode. `all`, the default: every message; a client that is too slow is disconnected and
   * resumes. `latest`: while the client lags, only the newest message of each topic (or key).
   */
  readonly delivery?: "all" | "latest" | undefined;
  /**
   * Maximum messages per second of each topic (or key), the newest ones; 0.001 to 1,000. Implies
   * `latest`. Default: no limit.
   */
  readonly rate?: number | undefined;
  /**
   * JMS selector such as `region = 'EU'`: only matching messages are received. Requires the node's
   * feature `selectors`; without it the subscription is refused with `unsupported`. A position is
   * valid for one selector only.
   */
  readonly where?: string | undefined;
  /**
   * Kind to which payloads are converted: `text`, `json` (parsed) or `bytes` (of UTF-8). Default:
   * the published kind, which `kind` names. A message that cannot be converted is reported as the
   * error `bad-payload`, and the stream continues.
   */
  readonly payload?: PayloadKind | undefined;
  /**
   * Schema of the payloads, of any library with Standard Schema v1. The handler receives its output;
   * `payload` is then `json` unless it is set. Invalid messages are reported as the error
   * `invalid-payload`, and the stream continues. Messages keep their order, also if the schema is
   * asynchronous: later ones wait, at most 10,000. More are a gap with the reason `buffer-full`.
   */
  readonly schema?: StandardSchema | undefined;
  /** Ends the subscription when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Checked options for the node. Undefined members have their defaults: `now`, `all`, no limit and no
 * selector.
 */
export interface SubscribeSettings {
  readonly from: From | undefined;
  readonly delivery: "latest" | undefined;
  readonly rate: number | undefined;
  readonly where?: string | undefined;
}

const MIN_RATE = 0.001;
const MAX_RATE = 1_000;

/** Checks the options for the node; throws if one is invalid. */
export function toSubscribeSettings(options: SubscribeOptions): SubscribeSettings {
  checkObject("options", options);
  const { rate, where } = options;
  const isRate = typeof rate === "number" && rate >= MIN_RATE && rate <= MAX_RATE;
  check(rate === undefined || isRate, "rate", "a number from 0.001 to 1000", rate);
  const { delivery = rate ? "latest" : "all" } = options;
  checkOneOf("delivery", ["all", "latest"], delivery);
  check(!rate || delivery === "latest", "delivery", '"latest" with a rate', delivery);
  checkSelector(where);
  return {
    from: toFrom(options.from, where),
    delivery: delivery === "latest" ? delivery : undefined,
    rate,
    where,
  };
}

/** Returns a key that is equal for subscriptions with the same messages and delivery. */
export function shareKey(topic: string, { delivery, rate, where }: SubscribeSettings): string {
  return JSON.stringify([topic, delivery, rate, where]);
}
