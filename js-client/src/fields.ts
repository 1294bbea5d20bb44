import { badAnswer } from "./errors.js";
import { isJsonObject, type JsonObject } from "./json.js";
import { isPropertyValue, type Properties } from "./message.js";

/** A member of a frame: its name, what it must be, and whether it may be left out. */
type Member = readonly [name: string, kind: string, isOptional: boolean];

const WHOLE = "whole number";

// The others are whole numbers.
const KINDS: Readonly<Record<string, string>> = { recovered: "boolean", limits: "object" };
const STRINGS =
  "type topic pattern epoch reason code message node version session broker url payload".split(" ");

/** The members of a frame by their names, with a `?` behind those that may be left out. */
export function shape(names: string): readonly Member[] {
  return names.split(" ").map((written) => {
    const [name = "", ...rest] = written.split("?");
    const kind = STRINGS.includes(name) ? "string" : (KINDS[name] ?? WHOLE);
    return [name, kind, rest.length > 0];
  });
}

/** Checks the members of one frame; what is missing or of the wrong kind throws, named. */
export function checkMembers(object: JsonObject, members: readonly Member[]): void {
  for (const [name, kind, isOptional] of members) {
    const value = object[name];
    if (typeof value === kind || (isOptional && value === undefined)) continue;
    if (kind === WHOLE && isCount(value)) continue;
    throw badAnswer(`${name} of ${String(object["type"])} must be a ${kind}`);
  }
}

/** Reads the members of one frame, checked. */
export function read(object: JsonObject, members: readonly Member[]): Record<string, unknown> {
  checkMembers(object, members);
  return Object.fromEntries(members.map(([name]) => [name, object[name]]));
}

/** Whether this is a whole number from 0 to 2^53-1. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Checks that this is an object of values that a message property can have. */
export function toProperties(value: unknown): Properties {
  if (!isJsonObject(value) || !Object.values(value).every(isPropertyValue)) {
    throw badAnswer("properties of an unknown kind");
  }
  // As JSON.parse made it, it has even "__proto__" as a member of its own.
  return value as Properties;
}
