/** A JSON object that comes from outside. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a JSON value is an object, neither an array nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
