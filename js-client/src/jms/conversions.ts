import { MessageFormatException } from "./exceptions.js";
import {
  toNumber,
  type BodyValue,
  type JmsType,
  type TypedValue,
  type ValueType,
} from "./typed-value.js";

/** Types as which a value of each type can be read. */
type Conversions = Readonly<Partial<Record<ValueType, readonly JmsType[]>>>;

const NUMERIC = ["byte", "short", "int", "long", "float", "double", "String"] as const;

/** Conversions of properties: Jakarta Messaging 3.1, section 3.5.4. */
export const PROPERTY_CONVERSIONS: Conversions = {
  boolean: ["boolean", "String"],
  byte: ["byte", "short", "int", "long", "String"],
  short: ["short", "int", "long", "String"],
  int: ["int", "long", "String"],
  long: ["long", "String"],
  float: ["float", "double", "String"],
  double: ["double", "String"],
  String: ["boolean", ...NUMERIC],
  number: NUMERIC,
  text: ["boolean", ...NUMERIC],
};

/** Conversions of the fields of maps and streams: Jakarta Messaging 3.1, section 3.12.4. */
export const BODY_CONVERSIONS: Conversions = {
  ...PROPERTY_CONVERSIONS,
  char: ["char", "String"],
  "byte[]": ["byte[]"],
  text: ["boolean", ...NUMERIC, "byte[]"],
};

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const INTEGER = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?[fd]?$/i;

/** Returns the value as another type; throws if JMS does not permit the conversion. */
export function convert(
  conversions: Conversions,
  name: string,
  from: TypedValue | undefined,
  to: JmsType,
): BodyValue {
  const { type, value } = from ?? { type: "String", value: null };
  if (value === null) return convertNull(name, type, to);
  if (conversions[type]?.includes(to) !== true) {
    throw new MessageFormatException(`${name} is a ${type} and cannot be read as ${to}`);
  }
  if (to === "String") return toText(type, value);
  if (typeof value === "string") return parse(name, value, to);
  return typeof value === "number" ? toNumber(to, name, value) : value;
}

/** Applies Java's `valueOf(null)`: false for a boolean, an error for numbers. */
function convertNull(name: string, type: ValueType, to: JmsType): BodyValue {
  if (to === "String" || to === "byte[]") return null;
  if (to === "boolean" && type !== "byte[]") return false;
  throw new MessageFormatException(`${name} is null and cannot be read as ${to}`);
}

function parse(name: string, text: string, to: JmsType): BodyValue {
  if (to === "boolean") return text.toLowerCase() === "true";
  if (to === "char") return text;
  if (to === "byte[]") return fromBase64(name, text);
  const isDecimal = to === "float" || to === "double";
  if (!(isDecimal ? DECIMAL : INTEGER).test(text)) {
    throw new MessageFormatException(
      `${name} is ${JSON.stringify(text)} and cannot be read as ${to}`,
    );
  }
  return toNumber(to, name, Number(text.replace(/[fd]$/i, "")));
}

/** Returns the text as Java writes it: floating point numbers have a decimal point. */
function toText(type: ValueType, value: BodyValue): string {
  const isDecimal = type === "float" || type === "double";
  return isDecimal && Number.isInteger(value) ? `${String(value)}.0` : String(value);
}

function fromBase64(name: string, text: string): Uint8Array {
  if (text.length % 4 !== 0 || !BASE64.test(text)) {
    throw new MessageFormatException(`${name} is a string, not bytes in base64`);
  }
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
