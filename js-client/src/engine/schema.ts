// Only types of the core: shared code would become a third file in a page's own build.
import type { ClientEmitter } from "./client-events.js";
import type { SluiceError } from "./errors.js";
import type { Message, PayloadKind } from "./message.js";
import type { SubscriptionObserver } from "./observer.js";
import { convert } from "./payload.js";
import type { Position } from "./position.js";
import type { Arrival, Receiver, ValidatorSupport } from "./received.js";
import type { SchemaIssue, SchemaResult, StandardSchema } from "./standard-schema.js";
import type { SubscribeOptions } from "./subscribe-options.js";
import type { Gap, GapReason } from "./subscription-state.js";
import type { SchemaEntry, SchemaMap } from "./topic-map.js";

/** Kind to which a payload is converted, and the schema of the result. */
export interface PayloadRule {
  readonly payload: PayloadKind | undefined;
  readonly schema: StandardSchema | undefined;
}

/** Returns the rule of a topic: that of the options, then that of the client's `schemas`. */
export function ruleOf(
  topic: string | undefined,
  { payload, schema }: Partial<PayloadRule>,
  schemas: SchemaMap | undefined,
): PayloadRule {
  if (schema) return { payload: payload ?? "json", schema };
  const entry = schemas && topic !== undefined ? entryOf(schemas, topic) : undefined;
  if (entry === undefined) return { payload, schema };
  if (typeof entry === "string") return { payload: payload ?? entry, schema };
  if ("~standard" in entry) return { payload: payload ?? "json", schema: entry };
  return { payload: payload ?? entry.payload, schema: entry.schema };
}

/** Returns the entry of the exact key, or of the most specific pattern that covers the topic. */
function entryOf(schemas: SchemaMap, topic: string): SchemaEntry | undefined {
  if (Object.hasOwn(schemas, topic)) return schemas[topic];
  const keys = Object.keys(schemas).filter((key) => covers(key.split("."), topic.split(".")));
  // Literal levels precede `*`, which precedes `>`.
  const [best] = keys.sort((one, other) => (rankOf(one) < rankOf(other) ? -1 : 1));
  return best === undefined ? undefined : schemas[best];
}

export function covers(pattern: readonly string[], topic: readonly string[]): boolean {
  for (const [index, level] of pattern.entries()) {
    const topicLevel = topic[index];
    if (topicLevel === undefined) return false;
    if (level === ">") return true;
    if (level !== topicLevel && (level !== "*" || topicLevel === ">")) return false;
  }
  return pattern.length === topic.length;
}

/** Returns a text whose order is that of specificity among patterns of one topic. */
function rankOf(pattern: string): string {
  const digits = { "*": "1", ">": "2" } as Readonly<Record<string, string>>;
  return Array.from(pattern.split("."), (level) => digits[level] ?? "0").join("");
}

/** Validates a value. Errors that the schema throws become results without issues. */
export function check(
  schema: StandardSchema | undefined,
  value: unknown,
): CheckResult | Promise<CheckResult> {
  if (!schema) return { value };
  try {
    if (!("~standard" in schema)) throw new TypeError("it is no Standard Schema");
    const result = schema["~standard"].validate(value);
    return "then" in result ? result.then(undefined, toFailure) : result;
  } catch (cause) {
    return toFailure(cause);
  }
}

/** Result of a validation; `cause` is what the schema threw. */
export type CheckResult = SchemaResult<unknown> & { readonly cause?: unknown };

function toFailure(cause: unknown): CheckResult {
  const what = cause instanceof Error ? cause.message : String(cause);
  return { issues: [{ message: `the schema failed: ${what}` }], cause };
}

/** Adds the members of `invalid-payload` to an error. */
export function withIssues(
  error: SluiceError,
  issues: readonly SchemaIssue[],
  rejected: SluiceError["rejected"],
  count: number,
): SluiceError {
  return Object.assign(error, { issues, rejected, count });
}

/** Returns the reasons in one text, each with the path of its value. */
export function describe(issues: readonly SchemaIssue[]): string {
  const texts = issues.map(({ message, path = [] }) => {
    const keys = path.map((segment) => (typeof segment === "object" ? segment.key : segment));
    return keys.length > 0 ? `${keys.map(String).join(".")}: ${message}` : message;
  });
  return texts.join("; ");
}

/**
 * Returns a function that delivers the waiting messages and gaps of a receiver. It converts and
 * validates payloads.
 */
export function validating(
  topic: string,
  receiver: Receiver,
  options: SubscribeOptions,
  schemas: SchemaMap | undefined,
  events: ClientEmitter,
  [create, change, maxWaiting]: ValidatorSupport,
): () => void {
  const validator = new Validator(topic, ruleOf(topic, options, schemas), receiver, {
    onError: (error) => {
      const { observer } = receiver;
      observer?.onPayloadError?.(error);
      if (observer) (observer.onError ?? events.report)(error);
    },
    onThrew: (thrown) => {
      events.onHandlerThrew(thrown, topic);
    },
    onDropped: (gap) => {
      events.emit("gap", gap);
    },
    toError: (code, text, about, cause) => new create(code, text, about, cause),
    change,
    maxWaiting,
  });
  prune(receiver.waiting, 0);
  return () => {
    validator.deliver();
  };
}

/** Removes the messages of a previous subject, which precede the gap of the change. */
function prune(waiting: Arrival[], start: number): void {
  const end = waiting.map(isRestart).lastIndexOf(true);
  if (end > start) waiting.splice(start, end - start);
}

function isRestart([event]: Arrival): boolean {
  return "reason" in event && event.reason === "identity-changed";
}

/** Functions that a validator calls. */
interface ValidatorHost {
  readonly onError: (error: SluiceError) => void;
  /** Receives what a callback of the application threw. */
  readonly onThrew: (thrown: unknown) => void;
  /** Receives the gap of messages that were dropped. */
  readonly onDropped: (gap: Gap) => void;
  readonly toError: (code: string, text: string, topic: string, cause: unknown) => SluiceError;
  readonly change: ValidatorSupport[1];
  readonly maxWaiting: number;
}

/**
 * Converts and validates the payloads of one subscription. Messages and gaps keep their order: while
 * a validation is pending, all later ones wait. With a synchronous schema nothing waits.
 */
class Validator {
  readonly #topic: string;
  readonly #rule: PayloadRule;
  readonly #receiver: Receiver;
  readonly #host: ValidatorHost;
  #isRunning = false;
  /** Latest gap of dropped messages. */
  #dropped: Gap | undefined;
  /** Reason of a gap after the latest valid message. */
  #gapBefore: GapReason | undefined;
  #invalid = 0;

  constructor(topic: string, rule: PayloadRule, receiver: Receiver, host: ValidatorHost) {
    this.#topic = topic;
    this.#rule = rule;
    this.#receiver = receiver;
    this.#host = host;
  }

  /** Delivers until a validation is asynchronous; its end continues. */
  deliver(): void {
    const { waiting } = this.#receiver;
    const latest = waiting.at(-1);
    // The first message is being validated.
    if (this.#isRunning && latest && isRestart(latest)) prune(waiting, 1);
    if (!this.#isRunning) this.#run();
  }

  #run(): void {
    const { onThrew } = this.#host;
    const { waiting } = this.#receiver;
    this.#isRunning = true;
    for (let [next] = waiting; next; [next] = waiting) {
      try {
        const pending = this.#process(next);
        if (pending) {
          void pending.catch(onThrew).then(() => {
            this.#shift();
            this.#run();
          });
          return;
        }
      } catch (thrown) {
        onThrew(thrown);
      }
      this.#shift();
    }
    this.#isRunning = false;
  }

  /** Removes the first message; replaces those that were dropped by one gap. */
  #shift(): void {
    const { waiting } = this.#receiver;
    waiting.shift();
    if (waiting.length < this.#host.maxWaiting) return;
    const [, position] = waiting.pop() ?? [];
    const gap = { topic: this.#topic, reason: "buffer-full" };
    if (waiting.at(-1)?.[0] === this.#dropped) waiting.pop();
    else this.#host.onDropped(gap);
    this.#dropped = gap;
    waiting.push([gap, position]);
  }

  #process([event, position]: Arrival): void | Promise<void> {
    if ("payload" in event) return this.#check(event, position);
    this.#gapBefore = event.reason;
    this.#deliver(position, (observer) => observer.onGap?.(event));
  }

  #check(message: Message, position: Position | undefined): void | Promise<void> {
    if (!this.#receiver.observer) return undefined;
    const converted = this.#convert(message, position);
    if (!converted) return undefined;
    // The payload of a removal is empty.
    const result = check(converted.removed ? undefined : this.#rule.schema, converted.payload);
    if ("then" in result) {
      return result.then((settled) => {
        this.#settle(converted, settled, position);
      });
    }
    this.#settle(converted, result, position);
    return undefined;
  }

  /** Returns the converted message; reports an error and returns undefined if that fails. */
  #convert(message: Message, position: Position | undefined): Message | undefined {
    const { payload } = this.#rule;
    const { onError, toError, change } = this.#host;
    try {
      return payload ? convert(message, payload, change) : message;
    } catch (cause) {
      const text = `cannot convert a ${message.kind} payload to ${String(payload)}`;
      this.#deliver(position, () => {
        onError(toError("bad-payload", text, message.topic, cause));
      });
      return undefined;
    }
  }

  #settle(message: Message, result: CheckResult, position: Position | undefined): void {
    const { onError, toError, change } = this.#host;
    const { issues } = result;
    this.#deliver(position, (observer) => {
      if (issues) {
        const text = `the payload is invalid: ${describe(issues)}`;
        const error = toError("invalid-payload", text, this.#topic, result.cause);
        onError(withIssues(error, issues, message, ++this.#invalid));
        return;
      }
      const { value } = result;
      const gapBefore = this.#gapBefore ?? message.gapBefore;
      this.#gapBefore = undefined;
      const isUnchanged = value === message.payload && gapBefore === message.gapBefore;
      observer.onMessage(
        isUnchanged ? message : change(message, { kind: message.kind, payload: value, gapBefore }),
      );
    });
  }

  /** Calls the observer, whose subscription has this position during the call. */
  #deliver(position: Position | undefined, call: (observer: SubscriptionObserver) => void): void {
    const { observer } = this.#receiver;
    if (!observer) return;
    this.#receiver.position = position;
    call(observer);
  }
}

/** Validates outgoing payloads one after the other, which keeps the order of the calls. */
export class Outgoing {
  readonly #schemas: SchemaMap;
  #invalid = 0;

  constructor(schemas: SchemaMap) {
    this.#schemas = schemas;
  }

  /**
   * Validates what a subscriber of the topic would receive.
   *
   * @throws the error of `toError` with the issues
   */
  async check(
    topic: string | undefined,
    sent: unknown,
    toError: (code: string, message: string, cause?: unknown) => SluiceError,
  ): Promise<void> {
    const { payload, schema } = ruleOf(topic, {}, this.#schemas);
    if (!schema) return;
    const fail = (text: string, issues: readonly SchemaIssue[], cause: unknown): SluiceError => {
      const error = toError("invalid-payload", text, cause);
      return withIssues(error, issues, { topic, payload: sent }, ++this.#invalid);
    };
    let value: unknown;
    try {
      value = asReceived(sent, payload);
    } catch (cause) {
      throw fail('the payload is no JSON; `payload: "text"` in `schemas` accepts text', [], cause);
    }
    const result = await check(schema, value);
    if (!result.issues) return;
    throw fail(`the payload is invalid: ${describe(result.issues)}`, result.issues, result.cause);
  }
}

/** Returns the payload that a subscriber with this kind receives; throws if it is no JSON. */
function asReceived(sent: unknown, kind: PayloadKind | undefined): unknown {
  const isBytes = sent instanceof Uint8Array;
  if (kind === "bytes" && isBytes) return sent;
  const isText = typeof sent === "string";
  if (kind === "json" && !isText && !isBytes) return sent;
  const text = isText ? sent : isBytes ? new TextDecoder().decode(sent) : JSON.stringify(sent);
  if (kind === "text") return text;
  return kind === "json" ? JSON.parse(text) : new TextEncoder().encode(text);
}
