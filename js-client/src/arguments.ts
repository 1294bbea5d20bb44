import { invalidArgument } from "./errors.js";
import { isPropertyValue, type Properties } from "./message.js";
import type { SubscriptionObserver } from "./observer.js";

const PROPERTY_NAME = /^(?!JMS)[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;
const CALLBACKS = ["onMessage", "onGap", "onState", "onError"] as const;

/** Throws unless `holds`, the condition on an argument, is true. */
export function check(
  holds: boolean,
  name: string,
  expected: string,
  actual: unknown,
): asserts holds {
  if (!holds) throw invalidArgument(name, expected, actual);
}

/** Throws unless `value` is one of these words. */
export function checkOneOf(name: string, words: readonly string[], value: unknown): void {
  const expected = words.map((word) => `"${word}"`).join(" or ");
  check((words as readonly unknown[]).includes(value), name, expected, value);
}

/** Throws unless `value` is an object; an array counts as one. */
export function checkObject(
  name: string,
  value: unknown,
  expected = "an object",
): asserts value is object {
  check(typeof value === "object" && value !== null, name, expected, value);
}

/** Throws unless `value` is a function. */
export function checkFunction(name: string, value: unknown): void {
  check(typeof value === "function", name, "a function", value);
}

/**
 * Checks the callbacks of an observer and binds them to it. A bare function becomes `onMessage`.
 */
export function toObserver<Message>(
  observer: ((message: Message) => void) | SubscriptionObserver<Message>,
): SubscriptionObserver<Message> {
  if (typeof observer === "function") return { onMessage: observer };
  checkObject("observer", observer, "a function or an object with onMessage");
  const bound: Record<string, unknown> = {};
  for (const name of CALLBACKS) {
    const callback = observer[name];
    if (callback === undefined && name !== "onMessage") continue;
    checkFunction(name, callback);
    bound[name] = (callback as () => void).bind(observer);
  }
  return bound as unknown as SubscriptionObserver<Message>;
}

/** Throws unless `payload` has a type that can be published. */
export function checkPayload(payload: unknown): void {
  check(
    typeof payload === "string" || payload instanceof Uint8Array,
    "payload",
    "a string or a Uint8Array",
    payload,
  );
}

/** Throws unless the names and values of message properties are valid for JMS. */
export function checkProperties(properties: Properties | undefined): void {
  if (properties === undefined) return;
  checkObject("properties", properties);
  for (const [name, value] of Object.entries(properties)) {
    check(
      PROPERTY_NAME.test(name),
      "property name",
      "an identifier that does not begin with JMS",
      name,
    );
    check(
      isPropertyValue(value) && (typeof value !== "number" || Number.isFinite(value)),
      `property ${name}`,
      "a string, a finite number or a boolean",
      value,
    );
  }
}
