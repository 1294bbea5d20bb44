import { isPropertyValue } from "./arguments.js";
import { badAnswer } from "./errors.js";
import { isJsonObject, type JsonObject } from "./json.js";
import type { Properties } from "./message.js";

/** What a member of a frame can be: what to call it, and how to know it. */
export type Kind<T> = readonly [name: string, is: (value: unknown) => value is T];

/** The members of a frame, each with its kind. */
export type Shape<Frame> = { readonly [Name in keyof Frame]-?: Kind<Frame[Name]> };

export const TEXT: Kind<string> = ["a string", (value) => typeof value === "string"];

/** A whole number from 0 to 2^53-1. */
export const COUNT: Kind<number> = ["a whole number", isCount];

export const FLAG: Kind<boolean> = ["true or false", (value) => typeof value === "boolean"];

export const OBJECT: Kind<JsonObject> = ["an object", isJsonObject];

/** A member that may be left out. */
export function optional<T>([name, is]: Kind<T>): Kind<T | undefined> {
  return [name, (value): value is T | undefined => value === undefined || is(value)];
}

/** Whether this is a whole number from 0 to 2^53-1. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Reads the members of one frame; what is missing or of the wrong kind throws, named. */
export function read<Frame>(object: JsonObject, shape: Shape<Frame>): Frame {
  const members: Record<string, unknown> = {};
  for (const [member, [name, is]] of Object.entries<Kind<unknown>>(shape)) {
    const value = object[member];
    if (!is(value)) throw badAnswer(`${member} of ${String(object["type"])} must be ${name}`);
    members[member] = value;
  }
  return members as Frame;
}

/** Checks that this is an object of values that a message property can have. */
export function toProperties(value: unknown): Properties {
  if (!isJsonObject(value) || !Object.values(value).every(isPropertyValue)) {
    throw badAnswer("properties of an unknown kind");
  }
  // As JSON.parse made it, it has even "__proto__" as a member of its own.
  return value as Properties;
}
