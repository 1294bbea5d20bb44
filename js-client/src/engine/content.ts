import { invalidArgument, SluiceError } from "./errors.js";

const JSON_VALUE = "a JSON value";

/**
 * Returns the content to send. Text, a function, bytes, a blob, or the body of a map or stream is
 * returned as it is. Other values become JSON, since the application may change them later.
 *
 * @throws SluiceError `invalid-argument` if JSON cannot represent the value or a member of it.
 */
export function toContent(
  content: unknown,
  options: { readonly body?: unknown } | undefined,
): unknown {
  if (typeof content === "string" || typeof content === "function") return content;
  if (options?.body || isBlob(content)) return content;
  if (content instanceof ArrayBuffer) return new Uint8Array(content);
  if (ArrayBuffer.isView(content)) return toBytes(content);
  return toJson("payload", content);
}

/**
 * Returns a value as JSON; undefined for undefined.
 *
 * @param name - Name of the value for the error.
 * @throws SluiceError `invalid-argument` if JSON cannot represent the value or a member of it.
 */
export function toJson(name: string, value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (member, inner: unknown) => {
      if (isLost(inner))
        throw invalidArgument(member ? `${name}.${member}` : name, JSON_VALUE, inner);
      return inner;
    });
  } catch (cause) {
    if (cause instanceof SluiceError) throw cause;
    const message = `${name} cannot be encoded as JSON: ${String(cause)}`;
    throw new SluiceError("invalid-argument", message, undefined, cause);
  }
}

/** Returns whether this is a Blob; not every platform has that class. */
export function isBlob(content: unknown): content is Blob {
  return tagOf(content) === "[object Blob]" || tagOf(content) === "[object File]";
}

function toBytes(view: ArrayBufferView): Uint8Array {
  const { buffer, byteOffset, byteLength } = view;
  return view instanceof Uint8Array ? view : new Uint8Array(buffer, byteOffset, byteLength);
}

/** Returns whether `JSON.stringify` would fail, or write something else. */
function isLost(value: unknown): boolean {
  switch (typeof value) {
    case "number":
      return !Number.isFinite(value);
    case "object":
      return value !== null && isLostObject(value);
    case "bigint":
    case "function":
    case "symbol":
      return true;
    default:
      return false;
  }
}

/** Such as a Map, a Set, a Promise, an Error or bytes. */
function isLostObject(value: object): boolean {
  const isPlain = ["[object Object]", "[object Array]"].includes(tagOf(value));
  return ArrayBuffer.isView(value) || (!isPlain && !Object.keys(value).length);
}

function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value);
}
