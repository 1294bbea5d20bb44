import { SluiceError } from "./errors.js";
import { isJsonObject, parseJson, type JsonObject, type JsonValue } from "./json.js";

/** Reads the members of one frame; what is missing or of the wrong kind throws, named. */
export class Fields {
  readonly #object: JsonObject;

  constructor(object: JsonObject) {
    this.#object = object;
  }

  static parse(text: string): Fields {
    let value: JsonValue;
    try {
      value = parseJson(text);
    } catch (cause) {
      throw new SluiceError("bad-answer", "the node sent text that is not JSON", undefined, cause);
    }
    if (!isJsonObject(value)) {
      throw new SluiceError("bad-answer", "the node sent JSON that is not an object");
    }
    return new Fields(value);
  }

  has(name: string): boolean {
    return this.#object[name] !== undefined;
  }

  text(name: string): string {
    const value = this.#object[name];
    return typeof value === "string" ? value : this.#wrong(name, "a string");
  }

  optionalText(name: string): string | undefined {
    return this.has(name) ? this.text(name) : undefined;
  }

  /** A whole number from 0 to 2^53-1. */
  count(name: string): number {
    const value = this.#object[name];
    return typeof value === "number" && Number.isSafeInteger(value) && value >= 0
      ? value
      : this.#wrong(name, "a whole number");
  }

  optionalCount(name: string): number | undefined {
    return this.has(name) ? this.count(name) : undefined;
  }

  optionalFlag(name: string): boolean | undefined {
    const value = this.#object[name];
    return value === undefined || typeof value === "boolean"
      ? value
      : this.#wrong(name, "true or false");
  }

  json(name: string): JsonValue {
    const value = this.#object[name];
    return value === undefined ? this.#wrong(name, "there") : value;
  }

  object(name: string): Fields {
    return new Fields(this.#objectAt(name));
  }

  properties(name: string): Readonly<Record<string, string | number | boolean>> {
    return this.has(name) ? toProperties(this.#objectAt(name)) : {};
  }

  #objectAt(name: string): JsonObject {
    const value = this.#object[name];
    return isJsonObject(value) ? value : this.#wrong(name, "an object");
  }

  #wrong(name: string, expected: string): never {
    const type = this.#object["type"];
    const frame = typeof type === "string" ? `"${type}"` : "without type";
    throw new SluiceError(
      "bad-answer",
      `frame ${frame} from the node: ${name} must be ${expected}`,
    );
  }
}

/** Checks that all values of an object are those that a message property can have. */
export function toProperties(
  object: JsonObject,
): Readonly<Record<string, string | number | boolean>> {
  const properties: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(object)) {
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") {
      throw new SluiceError("bad-answer", `property ${name} of a message is of an unknown kind`);
    }
    // Defined, not assigned: "__proto__" is a legal name.
    Object.defineProperty(properties, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return properties;
}
