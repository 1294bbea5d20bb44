import { invalidArgument, SluiceError } from "./errors.js";

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

/**
 * Throws unless `options` is an object with these members only.
 *
 * @param call - Name of the function that receives the options.
 * @param known - Names of the options.
 * @param hint - End of the error's message.
 */
export function checkOptions(
  call: string,
  options: unknown,
  known: readonly string[],
  hint = "",
): void {
  checkObject("options", options);
  for (const name in options) {
    if (known.includes(name)) continue;
    throw new SluiceError(
      "invalid-argument",
      `unknown option "${name}" of ${call}; the nearest is "${nearest(name, known)}"${hint}`,
    );
  }
}

/** Returns the name that has the most letters of `name`; its own letters count against it. */
function nearest(name: string, known: readonly string[]): string {
  const likeness = (other: string): number =>
    Array.from(name).filter((letter) => other.includes(letter)).length - other.length / 3;
  return known.reduce((best, other) => (likeness(other) > likeness(best) ? other : best));
}

/** Throws unless `value` is a function. */
export function checkFunction(name: string, value: unknown): void {
  check(typeof value === "function", name, "a function", value);
}

/** Throws unless this is a selector or undefined. */
export function checkSelector(where: unknown): void {
  const isSelector = where === undefined || (typeof where === "string" && where.trim() !== "");
  check(isSelector, "where", "a JMS selector such as \"region = 'EU'\"", where);
}

/** Regular expression of one level of a topic, for the flag `u`. */
export const LEVEL = String.raw`[^\p{Cc}\p{Cs}\p{White_Space}.*>#/\\]+`;
const PATTERN = new RegExp(`^((${LEVEL}|\\*)\\.)*(${LEVEL}|[*>])$`, "u");

/** Throws unless `topic` is a valid topic or pattern. */
export function checkTopicOrPattern(topic: unknown): void {
  const expected = 'a topic or pattern such as "stocks.7" or "stocks.>"';
  check(typeof topic === "string" && PATTERN.test(topic), "topic", expected, topic);
}

/** Throws unless `signal` is an AbortSignal or undefined. */
export function checkSignal(signal: AbortSignal | undefined): void {
  const isSignal = typeof signal?.addEventListener === "function";
  check(signal === undefined || isSignal, "signal", "an AbortSignal", signal);
}
