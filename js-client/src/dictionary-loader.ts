import {
  addDictionary,
  dictionaryOf,
  MAX_DICTIONARIES,
  MAX_DICTIONARY_BYTES,
  type Dictionary,
} from "./dictionaries.js";
import type { Settings } from "./options.js";

// Name of the cache in the browser's storage for the page's origin.
const CACHE = "sluice-dictionaries";
// Time for which the first connection waits for the cache.
const RESTORE_MS = 100;
const HASH = /^[0-9a-f]{32}$/;

/** Receiver of failures with their description. */
export type ReportFailure = (message: string, cause: unknown) => void;

/** Part of the settings that loading needs. */
type LoaderSettings = Pick<Settings, "clock" | "connectTimeout" | "fetch">;

/**
 * Loader of the trained dictionaries of one client: PROTOCOL.md, section 5. It verifies them, and
 * stores them in the browser's cache for later pages. Without `crypto.subtle`, which requires a
 * secure context, it loads none, and messages arrive as without dictionary.
 */
export class DictionaryLoader {
  readonly #settings: LoaderSettings;
  readonly #report: ReportFailure;
  /** Dictionaries that are being loaded. */
  readonly #loading = new Map<string, Promise<boolean>>();
  /** Hashes whose failure is reported. */
  readonly #reported = new Set<string>();

  /** @param report - Receives the first failure of each dictionary. */
  constructor(settings: LoaderSettings, report: ReportFailure) {
    this.#settings = settings;
    this.#report = report;
  }

  /** Loads the dictionaries of the browser's cache; returns after a short time in any case. */
  async restore(): Promise<void> {
    if (!canVerify()) return;
    const { clock } = this.#settings;
    let timer: unknown;
    const expired = new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, RESTORE_MS);
    });
    // A damaged cache is the same as none.
    await Promise.race([restoreAll().catch(() => undefined), expired]);
    clock.clearTimeout(timer);
  }

  /**
   * Loads a dictionary from the node.
   *
   * @param url - Address of the WebSocket.
   * @returns whether it is available
   */
  load(hash: string, url: string): Promise<boolean> {
    if (!canVerify() || !HASH.test(hash)) return Promise.resolve(false);
    if (dictionaryOf(hash)) return Promise.resolve(true);
    let loading = this.#loading.get(hash);
    if (!loading) {
      loading = this.#load(hash, dictionaryUrl(hash, url));
      this.#loading.set(hash, loading);
    }
    return loading;
  }

  async #load(hash: string, url: string): Promise<boolean> {
    try {
      const content = await this.#request(url);
      const actual = await hashOf(content);
      if (actual !== hash) throw new Error(`the hash of the content is ${actual}`);
      addDictionary(hash, content);
      void store(url, content);
      return true;
    } catch (cause) {
      this.#onFailure(hash, url, cause);
      return false;
    } finally {
      this.#loading.delete(hash);
    }
  }

  async #request(url: string): Promise<Dictionary> {
    const { clock, connectTimeout, fetch = globalThis.fetch } = this.#settings;
    const controller = new AbortController();
    const timer = clock.setTimeout(() => {
      controller.abort(new Error(`timeout after ${String(connectTimeout)} ms`));
    }, connectTimeout);
    try {
      const response = await fetch(url, { credentials: "omit", signal: controller.signal });
      if (!response.ok) throw new Error(`HTTP ${String(response.status)}`);
      return await contentOf(response);
    } finally {
      clock.clearTimeout(timer);
      controller.abort();
    }
  }

  #onFailure(hash: string, url: string, cause: unknown): void {
    if (this.#reported.has(hash)) return;
    this.#reported.add(hash);
    this.#report(`cannot load the dictionary ${url}: ${String(cause)}`, cause);
  }
}

/** Returns whether the platform has SHA-256; a page without TLS does not. */
function canVerify(): boolean {
  const { crypto } = globalThis as { readonly crypto?: { readonly subtle?: SubtleCrypto } };
  return crypto?.subtle !== undefined;
}

async function hashOf(content: Dictionary): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  return Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the address of a dictionary next to that of the WebSocket, without its parameters. */
function dictionaryUrl(hash: string, url: string): string {
  const address = new URL(url.replace(/^ws/, "http"));
  address.pathname = address.pathname.replace(/[^/]*$/, `dictionary/${hash}`);
  address.search = "";
  return address.href;
}

/** Reads content up to the limit. */
async function contentOf(response: Response): Promise<Dictionary> {
  const content = new Uint8Array(MAX_DICTIONARY_BYTES);
  let size = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) return content.slice(0, size);
    if (size + part.value.length > MAX_DICTIONARY_BYTES) {
      throw new Error(`it has more than ${String(MAX_DICTIONARY_BYTES)} bytes`);
    }
    content.set(part.value, size);
    size += part.value.length;
  }
}

/** Opens the cache; undefined if the platform has none or the page may not use it. */
async function openCache(): Promise<Cache | undefined> {
  try {
    return await (globalThis as { readonly caches?: CacheStorage }).caches?.open(CACHE);
  } catch {
    return undefined;
  }
}

async function restoreAll(): Promise<void> {
  const cache = await openCache();
  for (const request of (await cache?.keys()) ?? []) {
    const hash = request.url.slice(request.url.lastIndexOf("/") + 1);
    const content = await cachedContent(await cache?.match(request));
    if (content && (await hashOf(content)) === hash) addDictionary(hash, content);
    else await cache?.delete(request);
  }
}

/** Returns the content of a cached dictionary; undefined if it is damaged, such as too large. */
async function cachedContent(response: Response | undefined): Promise<Dictionary | undefined> {
  try {
    return response && (await contentOf(response));
  } catch {
    return undefined;
  }
}

/** Stores a dictionary; removes the oldest ones above the limit. */
async function store(url: string, content: Dictionary): Promise<void> {
  try {
    const cache = await openCache();
    await cache?.put(url, new Response(content));
    const requests = (await cache?.keys()) ?? [];
    for (const request of requests.slice(0, -MAX_DICTIONARIES)) await cache?.delete(request);
  } catch {
    // The storage is full: the next page loads the dictionary again.
  }
}
