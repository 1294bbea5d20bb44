import { MessageFormatException } from "./exceptions.js";

/** JMS type of a value, as in Java. */
export type JmsType =
  "boolean" | "byte" | "short" | "char" | "int" | "long" | "float" | "double" | "String" | "byte[]";

/**
 * Type of a value. The protocol has no types for received values: `number` is any numeric type,
 * and `text` is a string, or bytes in base64.
 */
export type ValueType = JmsType | "number" | "text";

/** Value of a property, or of a field of a MapMessage or StreamMessage. */
export type BodyValue = string | number | boolean | Uint8Array | null;

/** Value with its type. */
export interface TypedValue {
  readonly type: ValueType;
  readonly value: BodyValue;
}

/** Smallest and largest value of each integer type. A long is limited to exact JavaScript numbers. */
const INTEGERS: Readonly<Partial<Record<JmsType, readonly [min: number, max: number]>>> = {
  byte: [-(2 ** 7), 2 ** 7 - 1],
  short: [-(2 ** 15), 2 ** 15 - 1],
  int: [-(2 ** 31), 2 ** 31 - 1],
  long: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
};

/** Conditions of the types that are not numeric. */
const IS_VALUE = {
  boolean: (value: unknown) => typeof value === "boolean",
  char: (value: unknown) => typeof value === "string" && value.length === 1,
  String: (value: unknown) => value === null || typeof value === "string",
  "byte[]": (value: unknown) => value === null || value instanceof Uint8Array,
} as const;

/** Returns the value with this type; throws if it is not a value of the type. */
export function typed(type: JmsType, name: string, value: unknown): TypedValue {
  if (!isOther(type)) return { type, value: toNumber(type, name, value) };
  if (!IS_VALUE[type](value)) fail(type, name, value);
  return { type, value: value as BodyValue };
}

/** Returns the value with the type that follows from it, as `setObject` does. */
export function inferred(name: string, value: unknown): TypedValue {
  return typed(inferType(value), name, value);
}

/** Returns a received value with its type. */
export function received(value: BodyValue): TypedValue {
  if (typeof value === "number") return { type: "number", value };
  if (typeof value === "string") return { type: "text", value };
  return { type: typeof value === "boolean" ? "boolean" : "String", value };
}

/** Returns the number as a value of the numeric type; throws if it is out of range. */
export function toNumber(type: JmsType, name: string, value: unknown): number {
  const given = typeof value === "bigint" ? Number(value) : value;
  if (typeof given !== "number") return fail(type, name, value);
  const [min, max] = INTEGERS[type] ?? [-Number.MAX_VALUE, Number.MAX_VALUE];
  const number = type === "float" ? Math.fround(given) : given;
  const isWhole = INTEGERS[type] === undefined || Number.isInteger(number);
  return isWhole && min <= number && number <= max ? number : fail(type, name, value);
}

function inferType(value: unknown): JmsType {
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "bigint") return "long";
  if (value instanceof Uint8Array) return "byte[]";
  if (typeof value !== "number") return "String";
  if (!Number.isSafeInteger(value)) return "double";
  return Math.abs(value) < 2 ** 31 ? "int" : "long";
}

function isOther(type: JmsType): type is keyof typeof IS_VALUE {
  return Object.hasOwn(IS_VALUE, type);
}

function fail(type: string, name: string, value: unknown): never {
  const shown = typeof value === "object" && value !== null ? "an object" : String(value);
  throw new MessageFormatException(`${name} must be a ${type}, not ${shown}`);
}
