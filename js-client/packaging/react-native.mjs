// Runs a bundle for React Native with the globals that the client requires of its engine.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { WebSocket } from "ws";

export async function receiveInReactNative(out, { url, topic }) {
  const timers = { clearTimeout, queueMicrotask, setTimeout };
  const encoders = { TextDecoder, TextEncoder, URL };
  // The context has its own classes, but the messages are instances of these.
  const buffers = { ArrayBuffer, DataView, Uint8Array };
  const others = { AbortController, console, WebSocket };
  const context = createContext({ ...timers, ...encoders, ...buffers, ...others });
  context.window = context.global = context;
  runInContext(await readFile(join(out, "main.js"), "utf8"), context);
  assert.equal(await context.receive(url, topic), "PASSED");
}
