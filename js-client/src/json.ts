/** Whatever JSON can say. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [name: string]: JsonValue | undefined;
}

/** Parses text that comes from outside; what it throws is a SyntaxError. */
export function parseJson(text: string): JsonValue {
  return JSON.parse(text) as JsonValue;
}

/** Whether a JSON value is an object, neither an array nor null. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
