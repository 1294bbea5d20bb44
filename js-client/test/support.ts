import assert from "node:assert/strict";
import { SluiceError } from "../src/errors.js";

/** A check for assert.throws and assert.rejects: an error of ours with this code. */
export function isSluiceError(code: string): (thrown: unknown) => true {
  return (thrown) => {
    assert.ok(thrown instanceof SluiceError, String(thrown));
    assert.equal(thrown.code, code, thrown.message);
    return true;
  };
}

/** Random numbers from a seed (mulberry32), that of the environment or a new one. */
export function randomFrom(): { readonly random: () => number; readonly seed: number } {
  const seed = Number(process.env["SLUICE_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  let state = seed;
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { random, seed };
}

/** Waits until a condition holds; fails after ten seconds, saying what was waited for. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
