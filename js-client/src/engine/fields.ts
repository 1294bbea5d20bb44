import { protocolError } from "./errors.js";
import { isJsonObject, type JsonObject } from "./json.js";
import type { Properties } from "./message.js";

/** Member of a frame: its name, its type, and whether it is optional. */
type Member = readonly [name: string, kind: string, optionalMark: string | undefined];

/** Member with the type that its sign states. */
type Typed<Word extends string> = Word extends `${infer Name}$`
  ? Readonly<Record<Name, string>>
  : Word extends `${infer Name}!`
    ? Readonly<Record<Name, boolean>>
    : Word extends `${infer Name}{`
      ? Readonly<Record<Name, object>>
      : Word extends `${infer Name}#`
        ? Readonly<Record<Name, readonly string[]>>
        : Readonly<Record<Word, number>>;

type MemberOf<Word extends string> = Word extends `${infer Required}?`
  ? { readonly [Name in keyof Typed<Required>]?: Typed<Required>[Name] | undefined }
  : Typed<Word>;

/** Type of the frames that {@link shape} describes with the same words. */
export type Shaped<Members extends string> = Members extends `${infer Word} ${infer Others}`
  ? MemberOf<Word> & Shaped<Others>
  : Members extends ""
    ? unknown
    : MemberOf<Members>;

const WHOLE = "whole number";

const IDS = "list of ids";

const KINDS: Readonly<Record<string, string>> = {
  $: "string",
  "!": "boolean",
  "{": "object",
  "#": IDS,
};

const ID = /^[0-9a-f]{16}$/i;

/**
 * Parses the names of a frame's members, each with the sign of its type: `$` for a string, `!` for a
 * boolean, `{` for an object or array, `#` for message identities, none for a whole number. A `?`
 * marks an optional member.
 */
export function shape(members: string): readonly Member[] {
  return [...members.matchAll(/(\w+)([$!{#]?)(\??)/g)].map(([, name = "", sign = "", mark]) => {
    return [name, KINDS[sign] ?? WHOLE, mark];
  });
}

/**
 * Checks the members of an object; throws an error that names the missing or invalid one.
 *
 * @param owner - Name of the object for the error.
 */
export function checkMembers(object: JsonObject, members: readonly Member[], owner: unknown): void {
  const wrong = wrongMember(object, members);
  if (wrong) throw protocolError(`${wrong[0]} of ${String(owner)} must be a ${wrong[1]}`);
}

/** Returns the first member of an object that is missing or invalid. */
export function wrongMember(object: JsonObject, members: readonly Member[]): Member | undefined {
  return members.find(([name, kind, optionalMark]) => {
    const value = object[name];
    if (optionalMark && value === undefined) return false;
    if (kind === WHOLE) return !isCount(value);
    return kind === IDS ? !isIds(value) : typeof value !== kind;
  });
}

/** Returns whether this is a whole number from 0 to 2^53-1. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Returns whether this is a message identity: 16 hexadecimal digits. */
export function isId(value: unknown): value is string {
  return typeof value === "string" && ID.test(value);
}

/** Returns whether this is a list of message identities. */
export function isIds(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isId);
}

/** Checks that this parsed JSON is an object of strings, numbers and booleans. */
export function toProperties(value: unknown): Properties {
  if (!isJsonObject(value) || Object.values(value).some((item) => typeof item === "object")) {
    throw protocolError("properties must be strings, numbers or booleans");
  }
  // JSON.parse creates even "__proto__" as an own member.
  return value as Properties;
}
