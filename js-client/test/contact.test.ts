import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import { WebSocket } from "ws";
import { decisionOf, frameText } from "../src/engine/debug-frames.js";
import {
  connect,
  SluiceError,
  type ConnectOptions,
  type Debug,
  type DebugEntry,
  type MessagesOptions,
  type Client,
} from "../src/index.js";
import { ClientEmitter } from "../src/engine/client-events.js";
import { toSettings } from "../src/engine/options.js";
import { BufferingProxy } from "./buffering-proxy.js";
import { HandClock } from "./hand-clock.js";
import { ScriptedGateway } from "./scripted-gateway.js";
import { isSluiceError, until } from "./support.js";

const TIMEOUT = { timeout: 300_000 };

describe("addresses of a new client", () => {
  const resolve = (url: string | URL, page?: string): readonly string[] => {
    const had = Object.getOwnPropertyDescriptor(globalThis, "location");
    if (page !== undefined) {
      Object.defineProperty(globalThis, "location", { value: new URL(page), configurable: true });
    }
    try {
      return toSettings(url, { WebSocket }).urls;
    } finally {
      if (had) Object.defineProperty(globalThis, "location", had);
      else Reflect.deleteProperty(globalThis, "location");
    }
  };

  const cases: readonly (readonly [string | URL, string, string?])[] = [
    ["ws://a.example/ws", "ws://a.example/ws"],
    ["https://a.example/ws", "wss://a.example/ws"],
    ["http://a.example:81/ws", "ws://a.example:81/ws"],
    [new URL("https://a.example/ws"), "wss://a.example/ws"],
    ["/ws", "wss://p.example/ws", "https://p.example/app/"],
    ["./ws", "ws://p.example/app/ws", "http://p.example/app/index.html"],
    ["//a.example/ws", "wss://a.example/ws", "https://p.example/"],
  ];
  for (const [url, expected, page] of cases) {
    test(`shouldResolve ${String(url)}`, () => {
      assert.deepEqual(resolve(url, page), [expected]);
    });
  }

  test("shouldNotTakeAHostForAPath", () => {
    assert.throws(
      () => resolve("a.example/ws", "https://p.example/"),
      isSluiceError("invalid-argument"),
    );
  });

  test("shouldNameTheRelativeAddressOutsideAPage", () => {
    assert.throws(() => resolve("/ws"), {
      message:
        'url must be a URL such as "wss://example.com/ws" ("/ws" requires a page), not "/ws"',
    });
  });
});

describe("unknown options", () => {
  // Exhaustive by type: an option that is added must be known to the check.
  const connectOptions: Required<ConnectOptions> = {
    encoding: "json",
    token: "",
    minBackoff: 1,
    maxBackoff: 1,
    connectTimeout: 1,
    attemptDelay: 1,
    staleTimeout: 1,
    publishTimeout: 1,
    maxPublishes: 1,
    persistPublishes: "",
    store: { attach: ({ add }) => add },
    transports: ["websocket"],
    redirect: true,
    compression: false,
    WebSocket,
    fetch: globalThis.fetch,
    credentials: "omit",
    debug: false,
    schemas: {},
    clock: new HandClock(),
    random: Math.random,
  };
  const loopOptions: Required<MessagesOptions> = {
    from: undefined,
    delivery: "latest",
    rate: 1,
    where: undefined,
    payload: "json",
    schema: undefined,
    signal: undefined,
    buffer: 1,
    overflow: "fail",
  };
  let client: Client;

  beforeEach(() => {
    mock.method(console, "warn", () => undefined);
    client = connect("ws://127.0.0.1:9/ws", { WebSocket, transports: ["websocket"] });
  });

  afterEach(() => {
    client.close();
    mock.restoreAll();
  });

  test("shouldAcceptAllKnownOnes", () => {
    toSettings("ws://a.example", connectOptions);
    client.messages("a", loopOptions);
  });

  const typos: readonly (readonly [string, string, string, (options: never) => unknown])[] = [
    ["transport", "connect", "transports", (options) => connect("ws://a.example", options)],
    ["maxBackof", "connect", "maxBackoff", (options) => connect("ws://a.example", options)],
    ["toekn", "connect", "token", (options) => connect("ws://a.example", options)],
    ["Token", "connect", "token", (options) => connect("ws://a.example", options)],
    ["form", "subscribe", "from", (options) => client.subscribe("a", () => undefined, options)],
    ["bufer", "subscribe", "buffer", (options) => client.messages("a", options)],
    ["propertys", "publish", "properties", (options) => client.publish("a", "b", options)],
    ["credits", "consume", "credit", (options) => client.queue("a").consume(() => 0, options)],
    ["payloads", "serve", "payload", (options) => client.serve("a", () => "b", options)],
    ["maximum", "browse", "max", (options) => client.queue("a").browse(options)],
    ["time", "request", "timeout", (options) => client.request("a", "b", options)],
  ];
  for (const [typo, callee, nearest, call] of typos) {
    test(`shouldNameTheOption ${typo} and ${nearest}`, async () => {
      let thrown: unknown;
      try {
        await call({ [typo]: 1 } as never);
      } catch (error) {
        thrown = error;
      }
      assert.ok(thrown instanceof SluiceError, String(thrown));
      assert.equal(thrown.code, "invalid-argument");
      assert.match(
        thrown.message,
        new RegExp(`^unknown option "${typo}" of ${callee}; the nearest is "${nearest}"`),
      );
    });
  }
});

describe("repeated errors", () => {
  test("shouldReportTheFirstAtOnceAndACountAfterTenSeconds", () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const emitter = new ClientEmitter();
      const received: (readonly [string, number | undefined])[] = [];
      emitter.on("error", ({ message, count }) => received.push([message, count]));
      const report = (message: string): void => {
        emitter.report(new SluiceError("handler-failed", message));
      };
      for (let i = 0; i < 2_987; i++) report("a");
      report("b");
      assert.deepEqual(received, [
        ["a", undefined],
        ["b", undefined],
      ]);
      mock.timers.tick(10_000);
      assert.deepEqual(received.slice(2), [["a", 2_986]]);
      report("b");
      report("a");
      mock.timers.tick(10_000);
      assert.deepEqual(received.slice(3), [
        ["b", undefined],
        ["a", 1],
      ]);
    } finally {
      mock.timers.reset();
    }
  });

  test("shouldLimitErrorsWithEndlesslyDifferentTexts", () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const emitter = new ClientEmitter();
      let count = 0;
      emitter.on("error", () => count++);
      for (let i = 0; i < 1_000; i++) emitter.report(new SluiceError("bad-payload", String(i)));
      assert.equal(count, 21);
    } finally {
      mock.timers.reset();
    }
  });
});

describe("explanations", TIMEOUT, () => {
  let gateway: ScriptedGateway;
  let client: Client | undefined;
  let warnings: string[];
  let isRunning: boolean;
  let errors: SluiceError[];

  beforeEach(async () => {
    warnings = [];
    errors = [];
    mock.method(console, "warn", (text: string) => warnings.push(text));
    gateway = await ScriptedGateway.start();
    isRunning = true;
  });

  afterEach(async () => {
    client?.close();
    mock.restoreAll();
    if (isRunning) await gateway.stop();
  });

  function open(options: ConnectOptions = {}): Client {
    client = connect(gateway.url, { WebSocket, minBackoff: 1, maxBackoff: 5, ...options });
    client.on("error", (error) => errors.push(error));
    return client;
  }

  const warned = (cause: string): boolean =>
    warnings.some((text) => text.includes(` See section "${cause}" of the page`));

  test("shouldNotOpenAStreamForAWrongPath", async () => {
    gateway.passage = "refused";
    gateway.endpointStatus = 404;
    const opened = open();
    opened.subscribe("a", () => undefined);
    await until("it is reported", () => errors.length > 0 && warned("wrong-path"));
    const { upgrades } = gateway;
    await until("it tries again", () => gateway.upgrades > upgrades + 1);
    assert.equal(gateway.requests, 0);
    assert.equal(opened.state.status, "connecting");
    assert.deepEqual([...new Set(errors.map(({ code }) => code))], ["wrong-path"]);
    assert.equal(warnings.length, 1);
    // The path becomes right, for example because the operator corrects the proxy.
    gateway.passage = "free";
    (await gateway.socket()).hello();
    await until("open", () => opened.state.status === "open");
  });

  test("shouldExplainTheFallbackOnce", async () => {
    gateway.passage = "refused";
    const opened = open();
    opened.subscribe("a", () => undefined);
    (await gateway.stream()).hello();
    await until("it is explained", () => warned("http-fallback"));
    assert.equal(opened.transport, "http");
    assert.equal(gateway.probes, 3);
    assert.equal(warnings.length, 1);
  });

  for (const transports of [["websocket"], ["websocket", "http"]] as const) {
    test(`shouldExplainRefusedHeaders with ${transports.join()}`, async () => {
      gateway.passage = "refused";
      gateway.endpointStatus = 431;
      const code = "headers-too-large";
      gateway.endpointText = JSON.stringify({ type: "error", code, message: "the cookies" });
      open({ transports }).subscribe("a", () => undefined);
      if (transports.length > 1) (await gateway.stream()).hello();
      await until("it is explained", () => warned("refused-request"));
      assert.match(warnings.join(), /HTTP 431: headers-too-large: the cookies/);
      assert.equal(warnings.length, 1);
    });
  }

  test("shouldExplainRefusedCookiesOfAnotherOrigin", async () => {
    gateway.passage = "refused";
    const code = "headers-too-large";
    gateway.cookieRefusal = JSON.stringify({ type: "error", code, message: "the cookies" });
    // Browsers send cookies to another origin only if asked; Node.js never does.
    const withCookies: typeof fetch = (url, init) =>
      fetch(url, init?.credentials === "include" ? { ...init, headers: { cookie: "a" } } : init);
    open({ fetch: withCookies }).subscribe("a", () => undefined);
    (await gateway.stream()).hello();
    await until("it is explained", () => warned("refused-request"));
    assert.match(warnings.join(), /HTTP 431: headers-too-large: the cookies/);
    assert.equal(warnings.length, 1);
  });

  test("shouldNameTheRemedyOfARefusal", async () => {
    gateway.passage = "refused";
    gateway.endpointText = JSON.stringify({ type: "error", code: "tls-required", message: "TLS" });
    open({ transports: ["websocket"] });
    await until("it is explained", () => warned("refused-request"));
    assert.match(warnings.join(), /HTTP 400: tls-required: TLS\. Use wss:\./);
  });

  test("shouldReportAProxyThatBuffersStreams", async () => {
    const proxy = await BufferingProxy.start(gateway.url);
    client = connect(proxy.url, { WebSocket, minBackoff: 1, maxBackoff: 5, connectTimeout: 4_000 });
    client.on("error", (error) => errors.push(error));
    client.subscribe("a", () => undefined);
    try {
      (await gateway.stream()).hello();
      // The request that needs no stream.
      (await gateway.publishRequest()).close(4200);
      await until("it is explained", () => warned("buffered-stream"));
      assert.deepEqual(
        errors.map(({ code }) => code),
        ["buffered-stream"],
      );
      assert.match(String(errors[0]), /Disable the buffering of responses for \/stream/);
      assert.equal(warnings.length, 1);
      // The operator corrects the proxy.
      proxy.isBuffering = false;
      (await gateway.stream()).hello();
      await until("open", () => client?.state.status === "open");
    } finally {
      client.close();
      await proxy.stop();
    }
  });

  test("shouldNotBlameAProxyForASilentNode", async () => {
    gateway.passage = "refused";
    open({ connectTimeout: 1_000 }).subscribe("a", () => undefined);
    const stream = await gateway.stream();
    // Neither the stream nor the other request is answered.
    await gateway.publishRequest();
    await until("the attempt has ended", () => stream.isOver);
    assert.deepEqual(errors, []);
  });

  test("shouldExplainARefusedOrigin", async () => {
    gateway.passage = "refused";
    gateway.endpointStatus = 403;
    gateway.endpointText = "the origin is not allowed\n";
    open({ transports: ["websocket"] });
    await until("it is explained", () => warned("refused-origin"));
  });

  test("shouldExplainAnUnreachableServer", async () => {
    const { url } = gateway;
    await gateway.stop();
    isRunning = false;
    client = connect(url, { WebSocket, minBackoff: 1, maxBackoff: 5 });
    await until("it is explained", () => warned("unreachable-server"));
  });

  test("shouldReportAMissingTokenOnce", async () => {
    const opened = open();
    const session = await gateway.socket();
    session.send({ type: "error", code: "unauthorized", message: "a credential is required" });
    session.close(4200);
    await until("closed", () => opened.state.status === "closed");
    await import("../src/engine/explain.js");
    assert.deepEqual(
      errors.map(({ message }) => message),
      ["a credential is required"],
    );
    assert.deepEqual(warnings, []);
  });

  test("shouldReportAFailedTokenFunctionWithOneCause", async () => {
    let asked = 0;
    const token = (): Promise<string> => Promise.reject(new Error(`no network ${String(asked++)}`));
    open({ transports: ["websocket"], token });
    await until("it has failed often", () => asked >= 10);
    assert.deepEqual([...new Set(errors.map(({ code }) => code))], ["no-token"]);
    assert.equal(gateway.probes, 0);
    assert.deepEqual(warnings, []);
  });

  test("shouldNameATokenFunctionThatDoesNotReturn", async () => {
    const token = (): Promise<string> => new Promise(() => undefined);
    open({ transports: ["websocket"], connectTimeout: 30, token });
    await until("it is explained", () => warnings.some((text) => text.includes("token function")));
  });

  test("shouldExplainMixedContent", async () => {
    // Chromium permits ws: to loopback addresses, so that no browser shows it here.
    mock.method(console, "error", () => undefined);
    const Blocked = function (): never {
      throw new DOMException("mixed content", "SecurityError");
    };
    const page = { origin: "https://app.example", href: "https://app.example/" };
    Object.defineProperty(globalThis, "location", { value: page, configurable: true });
    try {
      open({ WebSocket: Blocked as never, transports: ["websocket"] });
      await until("it is explained", () => warned("mixed-content"));
    } finally {
      Reflect.deleteProperty(globalThis, "location");
    }
  });

  test("shouldNotDiagnoseAfterTheFirstSession", async () => {
    const opened = open();
    const session = await gateway.socket();
    session.hello();
    await until("open", () => opened.state.status === "open");
    gateway.passage = "refused";
    session.cut();
    await until("attempts have failed", () => gateway.upgrades > 3);
    assert.deepEqual(warnings, []);
    assert.equal(gateway.probes, 0);
  });

  describe("with a debug log", () => {
    const entries: DebugEntry[] = [];
    const texts = (kind: string): string[] =>
      entries.filter((entry) => entry.kind === kind).map(({ text }) => text);

    beforeEach(() => {
      entries.length = 0;
    });

    test("shouldLogDecisionsAndFramesToAFunction", async () => {
      const opened = open({ debug: (entry) => entries.push(entry), token: "s3cret" });
      const { unsubscribe } = opened.subscribe("a", () => undefined);
      const session = await gateway.socket();
      session.hello();
      await session.subscribed(4);
      await until("open", () => texts("open").length === 1);
      session.send({
        type: "message",
        topic: "a",
        offset: 5,
        id: "0".repeat(16),
        time: 1,
        payload: "private",
      });
      await until("a message", () => texts("frame").some((text) => text.includes("7 characters")));
      session.cut();
      await until("a retry", () => texts("retry").length > 0);
      const next = await gateway.socket();
      next.hello();
      await until("a resume", () => texts("resume").length > 0);
      assert.match(texts("connect")[0] ?? "", /^WebSocket to ws:/);
      assert.match(texts("retry")[0] ?? "", /^in \d+ ms after 1 failures; last end: 1006/);
      assert.match(texts("resume")[0] ?? "", /^a from position \{.*"offset":5/);
      assert.deepEqual(texts("subscribe"), ["a from now"]);
      assert.equal(texts("token")[0], "sent with connect");
      unsubscribe();
      assert.deepEqual(texts("unsubscribe"), ["a"]);
      const all = entries.map(({ text }) => text).join("\n");
      assert.ok(!/s3cret|private/.test(all), all);
    });

    test("shouldLogTheFallbackWithItsReason", async () => {
      const written: string[] = [];
      mock.method(console, "debug", (text: string) => written.push(text));
      gateway.passage = "refused";
      const opened = open({ debug: true });
      opened.subscribe("a", () => undefined);
      const stream = await gateway.stream();
      stream.hello();
      await stream.subscribed(1);
      stream.send({ type: "draining", deadline: 5_000, url: "ws://b.example/ws?key=s3cret" });
      await until("the drain", () => written.some((text) => text.startsWith("[sluice] drain")));
      const fallback = written.find((text) => text.startsWith("[sluice] fallback"));
      assert.match(fallback ?? "", /HTTP, because the WebSocket ended with 1006/);
      assert.ok(
        written.every((text) => !/ frame: |s3cret/.test(text)),
        written.join("\n"),
      );
    });
  });

  for (const debug of ["all", 7, ["frames", "noise"]]) {
    test(`shouldReportAnInvalidDebugLogAndConnect ${String(debug)}`, async () => {
      const opened = open({ debug: debug as Debug });
      await until("it is reported", () => errors.length > 0);
      assert.equal(errors[0]?.code, "invalid-argument");
      (await gateway.socket()).hello();
      await until("open", () => opened.state.status === "open");
    });
  }
});

describe("frames in the debug log", () => {
  test("shouldShortenFrames", () => {
    const text = frameText("->", JSON.stringify({ type: "list", filter: "x".repeat(1_000) }));
    assert.equal(text.length, 304);
  });

  test("shouldNameTheLengthOfBinaryFrames", () => {
    assert.equal(frameText("<-", new ArrayBuffer(12)), "<- binary, 12 bytes");
    assert.equal(decisionOf("<-", new ArrayBuffer(12)), undefined);
  });

  test("shouldNotShowInvalidFrames", () => {
    assert.equal(frameText("<-", "s3cret"), "<- invalid JSON, 6 characters");
    assert.equal(decisionOf("<-", "s3cret"), undefined);
  });

  test("shouldNameRefreshesAndRedirects", () => {
    const frames = [
      { type: "refreshed", expires: 0 },
      { type: "redirect", url: "wss://b.example/ws" },
      { type: "subscribed", topic: "a", recovered: false },
    ];
    assert.deepEqual(
      frames.map((frame) => decisionOf("<-", JSON.stringify(frame))?.text),
      ["refreshed until 1970-01-01T00:00:00.000Z", "to wss://b.example/ws", "a not recovered"],
    );
  });
});
