/** Value, or a function that returns it, such as a signal. */
export type MaybeGetter<Value> = Value | (() => Value);

/** Returns the current value. */
export function valueOf<Value>(value: MaybeGetter<Value>): Value {
  return typeof value === "function" ? (value as () => Value)() : value;
}
