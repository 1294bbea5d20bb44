import type { TestMessage } from "./stored-message.js";

/** Value of an expression: `bigint` for an exact number; undefined if it is unknown (NULL). */
export type Value = string | number | bigint | boolean | undefined;

/** Expression, evaluated for a message. */
export type Evaluate = (message: TestMessage) => Value;

const HEADERS: Readonly<Record<string, (message: TestMessage) => Value>> = {
  JMSMessageID: ({ id }) => `ID:${id}`,
  JMSTimestamp: ({ time }) => BigInt(time),
  JMSPriority: ({ priority = 4 }) => BigInt(priority),
  JMSDeliveryMode: ({ persistent }) => (persistent === false ? "NON_PERSISTENT" : "PERSISTENT"),
  JMSType: ({ messageType }) => messageType,
  JMSCorrelationID: ({ correlationId }) => correlationId,
  JMSXGroupID: ({ group }) => group,
};

/** Returns a header or property of a message; undefined if the header is not supported. */
export function fieldOf(name: string): Evaluate | undefined {
  if (Object.hasOwn(HEADERS, name)) return HEADERS[name];
  if (/^_?(JMS|AMQ)/i.test(name)) return undefined;
  return ({ properties }) => {
    if (!Object.hasOwn(properties, name)) return undefined;
    const value = properties[name];
    return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
  };
}

/** Returns the value of a numeric literal, which has a valid form. */
export function numberOf(literal: string): number | bigint {
  if (/^0x/i.test(literal)) return BigInt(literal.replace(/l$/i, ""));
  if (/[.e]/i.test(literal)) return Number(literal);
  const digits = literal.replace(/l$/i, "");
  return BigInt(/^0./.test(digits) ? `0o${digits.slice(1)}` : digits);
}

/** Returns a comparison; values of different types are not equal. */
export function compare(operator: string, left: Evaluate, right: Evaluate): Evaluate {
  return (message) => {
    const [a, b] = [left(message), right(message)];
    if (a === undefined || b === undefined) return undefined;
    if (operator === "<>") return !equals(a, b);
    if (operator === "=") return equals(a, b);
    const areTexts = typeof a === "string" && typeof b === "string";
    if (!areTexts && !(isNumber(a) && isNumber(b))) return false;
    if (operator === "<") return a < b;
    if (operator === "<=") return a <= b;
    return operator === ">" ? a > b : a >= b;
  };
}

function equals(a: Value, b: Value): boolean {
  // Compares exact and other numbers, too.
  return isNumber(a) && isNumber(b) ? a == b : a === b;
}

function isNumber(value: Value): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** Returns an arithmetic expression; exact numbers remain exact, except in a division. */
export function calculate(operator: string, left: Evaluate, right: Evaluate): Evaluate {
  return (message) => {
    const [a, b] = [left(message), right(message)];
    if (!isNumber(a) || !isNumber(b)) return undefined;
    const areExact = typeof a === "bigint" && typeof b === "bigint";
    if (areExact && operator !== "/") return exactly(operator, a, b);
    const [x, y] = [Number(a), Number(b)];
    if (operator === "+") return x + y;
    if (operator === "-") return x - y;
    return operator === "*" ? x * y : x / y;
  };
}

function exactly(operator: string, a: bigint, b: bigint): bigint {
  if (operator === "+") return a + b;
  return operator === "-" ? a - b : a * b;
}

export function not(operand: Evaluate): Evaluate {
  return (message) => {
    const value = operand(message);
    return typeof value === "boolean" ? !value : undefined;
  };
}

/** Returns the value that decides if an operand has it, otherwise the other one if both are known. */
export function combine(decisive: boolean, left: Evaluate, right: Evaluate): Evaluate {
  return (message) => {
    const values = [left(message), right(message)];
    if (values.includes(decisive)) return decisive;
    return values.every((value) => value === !decisive) ? !decisive : undefined;
  };
}

/** Returns whether a text is a value of a list; unknown without one. */
export function isOneOf(operand: Evaluate, list: readonly string[]): Evaluate {
  return (message) => {
    const value = operand(message);
    return value === undefined ? undefined : list.includes(value as string);
  };
}

/** Returns whether a text matches a pattern of LIKE; unknown without one. */
export function isLike(operand: Evaluate, pattern: string, escape: string | undefined): Evaluate {
  const regExp = new RegExp(`^${toRegExp(pattern, escape)}$`, "su");
  return (message) => {
    const value = operand(message);
    if (value === undefined) return undefined;
    return typeof value === "string" && regExp.test(value);
  };
}

/** Returns a pattern of LIKE with an ordinary character in place of each escaped one. */
export function withoutEscaped(pattern: string, escape: string | undefined): string {
  let text = "";
  let isEscaped = false;
  for (const character of pattern) {
    if (isEscaped) text += "x";
    else if (character !== escape) text += character;
    isEscaped = !isEscaped && character === escape;
  }
  return text;
}

function toRegExp(pattern: string, escape: string | undefined): string {
  let text = "";
  let isEscaped = false;
  for (const character of pattern) {
    if (!isEscaped && character === escape) {
      isEscaped = true;
      continue;
    }
    const isWild = !isEscaped && (character === "%" || character === "_");
    if (isWild) text += character === "%" ? ".*" : ".";
    else text += character.replace(/[$()*+./?[\\\]^{|}]/u, "\\$&");
    isEscaped = false;
  }
  return text;
}
