import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, test, type TestContext } from "node:test";
import { constants, deflateRawSync } from "node:zlib";
import { WebSocket } from "ws";
import { systemClock } from "../src/clock.js";
import { FrameInflater } from "../src/compressed-frames.js";
import {
  addDictionary,
  clearDictionaries,
  dictionaryHashes,
  dictionaryOf,
} from "../src/dictionaries.js";
import { DictionaryLoader } from "../src/dictionary-loader.js";
import { encodeConnect } from "../src/frames.js";
import { connect, type SluiceClient } from "../src/index.js";
import { ScriptedGateway } from "./scripted-gateway.js";
import { until } from "./support.js";

interface Golden {
  readonly clientCompressed: readonly { readonly name: string; readonly text: string }[];
  readonly dictionaries: readonly { readonly hash: string; readonly content: string }[];
  readonly trained: readonly {
    readonly name: string;
    readonly stream?: number;
    readonly ref?: number;
    readonly frame: string;
    readonly text?: string;
    readonly binary?: string;
  }[];
}

const golden = JSON.parse(readFileSync("../docs/protocol/golden.json", "utf8")) as Golden;
const DICTIONARY_TEXT = 0x73;
const NEXT_TEXT = 0x53;
const STREAM = 5;

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(text));
}

function hashOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 32);
}

const CONTENT = bytes('{"type":"message","topic":"a","offset":,"id":"0000","payload":"first"}');
const HASH = hashOf(CONTENT);

describe("trained dictionaries of a connection", () => {
  const [first] = golden.dictionaries;
  assert.ok(first);
  const { hash, content } = first;

  beforeEach(clearDictionaries);

  function begin(inflater: FrameInflater): void {
    for (const { stream, ref } of golden.trained) {
      const tagged = stream === undefined;
      const frame = { type: "subscribed", ref: ref ?? 1, topic: "a", tagged, stream };
      inflater.onReceive(JSON.stringify({ ...frame, dictionary: hash }));
    }
  }

  test("shouldDecodeGoldenFramesWithADisplacedDictionary", () => {
    addDictionary(hash, bytes(content));
    const inflater = new FrameInflater(undefined, () => {
      throw new Error("the session has named the dictionary");
    });
    inflater.onSend(encodeConnect("s3cret", { redirect: true }, false));
    for (let i = 0; i < 16; i++) addDictionary(String(i), bytes("of other nodes"));
    assert.equal(dictionaryOf(hash), undefined);
    begin(inflater);
    for (const { name, frame, text, binary } of golden.trained) {
      const decoded = inflater.onReceive(Uint8Array.from(Buffer.from(frame, "hex")).buffer);
      if (text === undefined) {
        assert.equal(Buffer.from(decoded as ArrayBuffer).toString("hex"), binary, name);
      } else assert.equal(decoded, text, name);
    }
  });

  test("shouldRefuseFramesWithoutTheDictionary", () => {
    const missing: string[] = [];
    const inflater = new FrameInflater(undefined, (one) => missing.push(one));
    begin(inflater);
    assert.deepEqual(missing, [hash, hash]);
    for (const { frame } of golden.trained) {
      const data = Uint8Array.from(Buffer.from(frame, "hex")).buffer;
      assert.throws(() => inflater.onReceive(data), /has no dictionary/);
    }
  });

  test("shouldReportALoadedDictionaryThatTheSessionHasNotNamed", () => {
    const missing: string[] = [];
    const inflater = new FrameInflater(undefined, (one) => missing.push(one));
    inflater.onSend(encodeConnect("s3cret", { redirect: true }, false));
    addDictionary(hash, bytes(content));
    begin(inflater);
    assert.ok(missing.includes(hash));
  });

  test("shouldForgetTheDictionaryOfAnEndedSubscription", () => {
    addDictionary(hash, bytes(content));
    const inflater = new FrameInflater();
    begin(inflater);
    inflater.onReceive(JSON.stringify({ type: "unsubscribed", ref: 2, topic: "a" }));
    const frame = golden.trained[0]?.frame ?? "";
    const data = Uint8Array.from(Buffer.from(frame, "hex")).buffer;
    assert.throws(() => inflater.onReceive(data), /has no dictionary/);
  });

  test("shouldNameItsDictionariesInConnect", () => {
    addDictionary(hash, bytes(content));
    const sent = encodeConnect("s3cret", { redirect: true }, false);
    const expected = golden.clientCompressed.find(
      ({ name }) => name === "connect with dictionaries",
    );
    assert.equal(new FrameInflater().onSend(sent), expected?.text);
  });

  test("shouldKeepTheNewestDictionaries", () => {
    for (let i = 0; i < 17; i++) addDictionary(String(i), bytes(content));
    assert.equal(dictionaryHashes().length, 16);
    assert.equal(dictionaryOf("0"), undefined);
    assert.ok(dictionaryOf("16"));
  });
});

/** HTTP server with one answer. */
async function serve(answer: RequestListener): Promise<Server> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function addressOf(server: Server, path = "/gateway/ws?token=s3cret"): string {
  return `ws://127.0.0.1:${String((server.address() as AddressInfo).port)}${path}`;
}

describe("loading of a dictionary", { timeout: 60_000 }, () => {
  let server: Server | undefined;
  let requests: string[];
  let errors: string[];

  beforeEach(() => {
    clearDictionaries();
    requests = [];
    errors = [];
  });

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  async function load(answer: RequestListener, hash = HASH, connectTimeout = 10_000) {
    server = await serve((request, response) => {
      requests.push(request.url ?? "");
      answer(request, response);
    });
    const settings = { clock: systemClock, connectTimeout, fetch: undefined };
    const loader = new DictionaryLoader(settings, (message) => errors.push(message));
    await loader.restore();
    const url = addressOf(server);
    const [once, again] = await Promise.all([loader.load(hash, url), loader.load(hash, url)]);
    assert.equal(once, again);
    return once;
  }

  async function fail(answer: RequestListener, reason: RegExp, connectTimeout?: number) {
    assert.equal(await load(answer, HASH, connectTimeout), false);
    assert.equal(dictionaryOf(HASH), undefined);
    assert.equal(errors.length, 1);
    assert.match(errors[0] ?? "", /^cannot load the dictionary http:.*\/dictionary\//);
    assert.match(errors[0] ?? "", reason);
  }

  test("shouldRequestItOnceNextToTheWebSocket", async () => {
    assert.equal(await load((_, response) => response.end(CONTENT)), true);
    assert.deepEqual(requests, [`/gateway/dictionary/${HASH}`]);
    assert.deepEqual(dictionaryOf(HASH), CONTENT);
    assert.deepEqual(errors, []);
  });

  test("shouldReportAMissingOne", async () => {
    await fail((_, response) => response.writeHead(404).end(), /HTTP 404/);
  });

  test("shouldReportADifferentContent", async () => {
    const other = bytes("other");
    await fail((_, response) => response.end(other), new RegExp(`hash of .* is ${hashOf(other)}`));
  });

  test("shouldReportAContentOverTheLimit", async () => {
    const answer: RequestListener = (_, response) => {
      response.write(Buffer.alloc(32 * 1024));
      response.write("x");
    };
    await fail(answer, /more than 32768 bytes/);
  });

  test("shouldAcceptTheLargestOne", async () => {
    const most = new Uint8Array(32 * 1024).fill(7);
    assert.equal(await load((_, response) => response.end(most), hashOf(most)), true);
  });

  test("shouldReportATimeout", async () => {
    await fail((_, response) => response.write("x"), /timeout after 50 ms/, 50);
  });

  /** Cache of the platform with the given content by address; Node has none. */
  function cacheOf(entries: Map<string, Uint8Array<ArrayBuffer>>): Partial<Cache> {
    return {
      keys: () => Promise.resolve([...entries.keys()].map((url) => new Request(url))),
      match: (request) => Promise.resolve(new Response(entries.get((request as Request).url))),
      delete: (request) => Promise.resolve(entries.delete((request as Request).url)),
    };
  }

  async function restore(t: TestContext, open: () => Promise<Partial<Cache>>): Promise<void> {
    const platform = globalThis as { caches?: unknown };
    platform.caches = { open };
    t.after(() => delete platform.caches);
    const settings = { clock: systemClock, connectTimeout: 10_000, fetch: undefined };
    await new DictionaryLoader(settings, (message) => errors.push(message)).restore();
  }

  test("shouldRestoreTheDictionariesBehindDamagedOnes", async (t) => {
    const tooLarge = new Uint8Array(32 * 1024 + 1);
    const entries = new Map([
      [`http://localhost/dictionary/${hashOf(tooLarge)}`, tooLarge],
      [`http://localhost/dictionary/${HASH}`, CONTENT],
      [`http://localhost/dictionary/${"0".repeat(32)}`, CONTENT],
    ]);
    await restore(t, () => Promise.resolve(cacheOf(entries)));
    assert.deepEqual(dictionaryHashes(), [HASH]);
    assert.deepEqual([...entries.keys()], [`http://localhost/dictionary/${HASH}`]);
    assert.deepEqual(errors, []);
  });

  test("shouldNotWaitForAHangingCache", async (t) => {
    await restore(t, () => new Promise(() => undefined));
    assert.deepEqual(dictionaryHashes(), []);
  });

  test("shouldNotRequestWhatIsNoHash", async () => {
    assert.equal(await load((_, response) => response.end(CONTENT), "../../secret"), false);
    assert.deepEqual(requests, []);
  });
});

describe("a client with a trained dictionary", { timeout: 60_000 }, () => {
  let gateway: ScriptedGateway;
  let server: Server;
  let client: SluiceClient | undefined;
  let isServed: boolean;

  beforeEach(async () => {
    clearDictionaries();
    isServed = true;
    gateway = await ScriptedGateway.start();
    server = await serve((_, response) => {
      response.writeHead(isServed ? 200 : 404).end(isServed ? CONTENT : "");
    });
  });

  afterEach(async () => {
    client?.close();
    await gateway.stop();
    server.close();
  });

  // The gateway of the test serves no files: another server does.
  const fetchDictionary: typeof fetch = (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const isDictionary = pathname.includes("/dictionary/");
    return fetch(isDictionary ? addressOf(server, pathname).replace("ws", "http") : input, init);
  };

  function message(offset: number): Buffer {
    const id = String(offset).padStart(16, "0");
    const payload = `p${String(offset)}`;
    return Buffer.from(
      JSON.stringify({ type: "message", topic: "a", offset, id, time: 1, payload }),
    );
  }

  function compressed(first: number, offset: number, dictionary: Uint8Array): Uint8Array {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, dictionary };
    const flushed = deflateRawSync(message(offset), options);
    return Uint8Array.from([first, STREAM, ...flushed.subarray(0, -4)]);
  }

  function open(transport: "websocket" | "http"): { received: unknown[]; errors: string[] } {
    client = connect(gateway.url, {
      WebSocket,
      fetch: fetchDictionary,
      encoding: "json",
      compression: { maxMessageBytes: 1024 },
      transports: [transport],
      minBackoff: 5,
      maxBackoff: 20,
    });
    const received: unknown[] = [];
    const errors: string[] = [];
    client.on("error", ({ code, message: text }) => errors.push(`${code}: ${text}`));
    client.subscribe("a", ({ payload }) => received.push(payload));
    return { received, errors };
  }

  test("shouldAnnounceTheDictionaryOnceLoaded", async () => {
    const { received, errors } = open("websocket");
    const session = await gateway.socket();
    session.hello();
    assert.equal((await session.next("connect"))["dictionaries"], undefined);
    await session.subscribed(0, { stream: STREAM, dictionary: HASH });
    assert.equal((await session.next("dictionary"))["hash"], HASH);
    session.sendRaw(compressed(DICTIONARY_TEXT, 1, CONTENT));
    session.sendRaw(compressed(NEXT_TEXT, 2, message(1)));
    await until("all have come", () => received.length === 2);
    assert.deepEqual(received, ["p1", "p2"]);
    session.cut();
    const next = await gateway.socket();
    next.hello();
    assert.deepEqual((await next.next("connect"))["dictionaries"], [HASH]);
    await next.subscribed(2, { stream: STREAM, dictionary: HASH });
    next.sendRaw(compressed(DICTIONARY_TEXT, 3, CONTENT));
    await until("it has come", () => received.length === 3);
    assert.equal(next.count("dictionary"), 0);
    assert.deepEqual(errors, []);
  });

  test("shouldNameTheDictionaryInTheNextStream", async () => {
    const { received } = open("http");
    const session = await gateway.stream();
    session.hello();
    await session.subscribed(0, { stream: STREAM, dictionary: HASH });
    await until("it is loaded", () => dictionaryOf(HASH) !== undefined);
    session.cut();
    const next = await gateway.stream();
    next.hello();
    assert.deepEqual((await next.next("connect"))["dictionaries"], [HASH]);
    await next.subscribed(0, { stream: STREAM, dictionary: HASH });
    next.sendRaw(compressed(DICTIONARY_TEXT, 1, CONTENT));
    await until("it has come", () => received.length === 1);
  });

  test("shouldReceiveMessagesWithoutADictionaryThatCannotBeLoaded", async () => {
    isServed = false;
    const { received, errors } = open("websocket");
    const session = await gateway.socket();
    session.hello();
    await session.subscribed(0, { stream: STREAM, dictionary: HASH });
    await until("it is reported", () => errors.length === 1);
    assert.match(errors[0] ?? "", /^not-loaded: cannot load the dictionary .*HTTP 404/);
    session.sendRaw(compressed(0x43, 1, new Uint8Array()));
    await until("it has come", () => received.length === 1);
    assert.equal(session.count("dictionary"), 0);
  });

  test("shouldResumeAfterAMessageOverTheLimit", async () => {
    const { received } = open("websocket");
    const session = await gateway.socket();
    session.hello();
    await session.subscribed(0, { stream: STREAM });
    const large = deflateRawSync(Buffer.alloc(1025, " "), { finishFlush: constants.Z_SYNC_FLUSH });
    session.sendRaw(Uint8Array.from([0x43, STREAM, ...large.subarray(0, -4)]));
    const next = await gateway.socket();
    next.hello();
    await next.subscribed(0, { stream: STREAM });
    next.sendRaw(compressed(0x43, 1, new Uint8Array()));
    await until("it has come", () => received.length === 1);
  });

  for (const [compression, problem] of [
    [{ maxMessageBytes: 1023 }, "1024 to 1073741824"],
    [{ maxMessageBytes: 2 ** 30 + 1 }, "1024 to 1073741824"],
    [{ maxBytes: 1024 }, "an object with maxMessageBytes only"],
    [1, "a boolean or an object"],
  ] as const) {
    test(`shouldReject the option ${JSON.stringify(compression)}`, async () => {
      const errors: string[] = [];
      client = connect(gateway.url, { WebSocket, compression: compression as never });
      client.on("error", ({ message: text }) => errors.push(text));
      await until("it is reported", () => errors.length === 1);
      assert.ok(errors[0]?.includes(problem), errors[0]);
    });
  }
});
