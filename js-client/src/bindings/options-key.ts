import type { SubscribeOptions } from "../engine/subscribe-options.js";

const numbers = new WeakMap<object, number>();
let last = 0;

/** Returns a text that is equal for equal options; a schema counts as present or absent. */
export function valuesOf({ schema, ...options }: SubscribeOptions): string {
  return JSON.stringify([options, schema !== undefined]);
}

/** Returns a text that is equal for equal options with the same schema. */
export function keyOfOptions(options: SubscribeOptions): string {
  const { schema } = options;
  if (schema && !numbers.has(schema)) numbers.set(schema, ++last);
  return valuesOf(options) + String(schema && numbers.get(schema));
}
