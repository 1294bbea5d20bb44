import { check } from "./arguments.js";
import type { Client } from "./client-type.js";
import { SluiceError, toSluiceError } from "./errors.js";
import type { CompressionOptions, Settings } from "./options.js";

// Limits of the maximum size of a decompressed message.
const MIN_MESSAGE_BYTES = 1024;
const MAX_MESSAGE_BYTES = 2 ** 30;

/**
 * Returns settings with the optional parts that they request; loads their code. The client connects
 * without a part that fails.
 *
 * @param report - Receives the error of each part that fails.
 */
export async function extend(
  client: Client,
  settings: Settings,
  report: (error: SluiceError) => void,
): Promise<Settings> {
  let extended = settings;
  let problem: string | undefined;
  try {
    if (settings.compression) extended = await compressed(settings, report);
  } catch (cause) {
    const error = toSluiceError(cause);
    problem = `without compression: ${error.message}`;
    report(error);
  }
  try {
    // The outer part: its sockets pass decompressed frames.
    if (settings.debug) extended = await logged(client, extended, problem);
  } catch (cause) {
    report(toSluiceError(cause));
  }
  return extended;
}

async function compressed(
  settings: Settings,
  report: (error: SluiceError) => void,
): Promise<Settings> {
  checkCompression(settings.compression);
  const { accepting } = await load("compression", import("../transport/compression.js"), settings);
  // The parts import nothing of the core, which would have to export it.
  return accepting(settings, (cause) => {
    const message = `continues without compression, after a corrupt frame: ${String(cause)}`;
    report(new SluiceError("bad-answer", message, undefined, cause));
  });
}

function checkCompression(compression: unknown): void {
  const isObject = typeof compression === "object" && compression !== null;
  const isValid = isObject || typeof compression === "boolean";
  check(isValid, "compression", "a boolean or an object", compression);
  if (!isObject) return;
  const unknown = Object.keys(compression).find((name) => name !== "maxMessageBytes");
  check(unknown === undefined, "compression", "an object with maxMessageBytes only", unknown);
  const { maxMessageBytes = MAX_MESSAGE_BYTES } = compression as CompressionOptions;
  const isSize =
    Number.isInteger(maxMessageBytes) &&
    maxMessageBytes >= MIN_MESSAGE_BYTES &&
    maxMessageBytes <= MAX_MESSAGE_BYTES;
  const expected = `a whole number from ${String(MIN_MESSAGE_BYTES)} to ${String(MAX_MESSAGE_BYTES)}`;
  check(isSize, "maxMessageBytes", expected, maxMessageBytes);
}

async function logged(client: Client, settings: Settings, problem?: string): Promise<Settings> {
  return (await load("debug", import("./debug.js"), settings)).observe(client, settings, problem);
}

/** Waits for the code of a part, at most as long as for a connection. */
async function load<Part>(
  name: string,
  loading: Promise<Part>,
  { clock, connectTimeout }: Settings,
): Promise<Part> {
  let timer: unknown;
  const expired = new Promise<never>((_, reject) => {
    timer = clock.setTimeout(() => {
      reject(new Error(`timeout after ${String(connectTimeout)} ms`));
    }, connectTimeout);
  });
  try {
    return await Promise.race([loading, expired]);
  } catch (cause) {
    const message = `cannot load the code of ${name}: ${String(cause)}`;
    throw new SluiceError("not-loaded", message, undefined, cause);
  } finally {
    clock.clearTimeout(timer);
  }
}
