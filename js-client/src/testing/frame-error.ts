import { isCount } from "../engine/fields.js";
import { isJsonObject, type JsonObject } from "../engine/json.js";

/** Reason for an `error` frame. */
export class FrameError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns the error for a member that is missing or invalid. */
export function badFrame(name: string, expected: string): FrameError {
  return new FrameError("bad-frame", `${name} must be ${expected}`);
}

/** Returns a member that has to be a string. */
export function textOf(frame: JsonObject, name: string): string {
  const value = frame[name];
  if (typeof value !== "string") throw badFrame(name, "a string");
  return value;
}

/** Returns a member that has to be a whole number in this range. */
export function numberOf(frame: JsonObject, name: string, min: number, max: number): number {
  const value = frame[name];
  if (isCount(value) && value >= min && value <= max) return value;
  throw badFrame(name, `a whole number from ${String(min)} to ${String(max)}`);
}

/** Parses a text frame. */
export function parseFrame(text: string): JsonObject {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    // Reported below.
  }
  if (!isJsonObject(frame)) throw new FrameError("bad-json", "not a JSON object");
  return frame;
}
