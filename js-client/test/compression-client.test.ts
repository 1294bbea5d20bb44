import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { constants, deflateRawSync } from "node:zlib";
import { WebSocket } from "ws";
import { SocketObservation } from "../src/devtools/observation.js";
import { connect, type ConnectOptions, type Client } from "../src/index.js";
import { ScriptedGateway } from "./scripted-gateway.js";
import type { ScriptedSession } from "./scripted-node.js";
import { until } from "./support.js";

const FULL_TEXT = 0x43;
const NEXT_TEXT = 0x53;
const STREAM = 5;

function message(offset: number): Buffer {
  const id = String(offset).padStart(16, "0");
  const frame = { type: "message", topic: "a", offset, id, time: 1, payload: `p${String(offset)}` };
  return Buffer.from(JSON.stringify(frame));
}

function compressed(offset: number, previous?: number): Uint8Array {
  const dictionary = previous === undefined ? {} : { dictionary: message(previous) };
  const flushed = deflateRawSync(message(offset), {
    finishFlush: constants.Z_SYNC_FLUSH,
    ...dictionary,
  });
  const first = previous === undefined ? FULL_TEXT : NEXT_TEXT;
  return Uint8Array.from([first, STREAM, ...flushed.subarray(0, -4)]);
}

describe("a client with compression", { timeout: 60_000 }, () => {
  let gateway: ScriptedGateway;
  const clients: Client[] = [];

  beforeEach(async () => {
    gateway = await ScriptedGateway.start();
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await gateway.stop();
  });

  function open(options: ConnectOptions = {}): { client: Client; received: unknown[] } {
    const client = connect(gateway.url, {
      WebSocket,
      encoding: "json",
      compression: true,
      minBackoff: 5,
      maxBackoff: 20,
      ...options,
    });
    clients.push(client);
    const received: unknown[] = [];
    client.subscribe("a", ({ payload }) => received.push(payload));
    return { client, received };
  }

  async function begin(session: ScriptedSession, isAccepted = true): Promise<unknown> {
    session.hello();
    const connected = await session.next("connect");
    assert.equal(connected["compressed"], isAccepted || undefined);
    const { from } = await session.subscribed(0, { stream: STREAM });
    return from;
  }

  for (const transports of [["websocket"], ["http"]] as const) {
    test(`shouldDecompress messages over ${transports[0]}`, async () => {
      const { received } = open({ transports });
      const isSocket = transports[0] === "websocket";
      const session = isSocket ? await gateway.socket() : await gateway.stream();
      await begin(session);
      session.sendRaw(compressed(1));
      session.sendRaw(compressed(2, 1));
      session.message("a", 3, "p3");
      session.sendRaw(compressed(4, 2));
      await until("all have come", () => received.length === 4);
      assert.deepEqual(received, ["p1", "p2", "p3", "p4"]);
    });

    test(`shouldLog decompressed frames over ${transports[0]}`, async () => {
      const lines: string[] = [];
      const { received } = open({ transports, debug: ({ text }) => lines.push(text) });
      const isSocket = transports[0] === "websocket";
      const session = isSocket ? await gateway.socket() : await gateway.stream();
      await begin(session);
      session.sendRaw(compressed(1));
      session.sendRaw(compressed(2, 1));
      await until("all have come", () => received.length === 2);
      assert.equal(lines.filter((line) => line.includes('"payload":"2 characters"')).length, 2);
      assert.ok(!lines.some((line) => line.includes("binary")));
    });

    test(`shouldResumeWithoutCompression after a corrupt frame over ${transports[0]}`, async () => {
      const { client, received } = open({ transports });
      const next = async (): Promise<ScriptedSession> =>
        transports[0] === "websocket" ? gateway.socket() : gateway.stream();
      const session = await next();
      await begin(session);
      let reason = "";
      client.on("state", (state) => {
        if (state.status === "connecting") reason += state.lastEnd?.reason ?? "";
      });
      const errors: string[] = [];
      client.on("error", ({ code, message }) => errors.push(`${code} ${message}`));
      session.sendRaw(compressed(1));
      session.sendRaw(Uint8Array.of(NEXT_TEXT, STREAM, 0xff, 0xff));
      session.sendRaw(compressed(3, 2));
      const second = await next();
      const from = await begin(second, false);
      assert.equal((from as { offset: number }).offset, 1);
      assert.deepEqual(received, ["p1"]);
      assert.match(reason, /is corrupt/);
      assert.match(errors.join(), /^bad-answer continues without compression/);
      second.cut();
      await begin(await next(), false);
      assert.equal(errors.length, 1);
    });

    test(`shouldContinue after unreadable text over ${transports[0]}`, async () => {
      const { client, received } = open({ transports });
      const isSocket = transports[0] === "websocket";
      const session = isSocket ? await gateway.socket() : await gateway.stream();
      await begin(session);
      const errors: string[] = [];
      client.on("error", ({ code }) => errors.push(code));
      session.sendRaw('{"type":"subscribed"');
      session.sendRaw('{"type":"draining"');
      session.sendRaw(compressed(1));
      await until("delivered", () => received.length === 1);
      assert.deepEqual(errors, ["bad-answer", "bad-answer"]);
      assert.equal(client.state.status, "open");
    });
  }

  test("shouldShow messages in the developer tools", async () => {
    const observation = new SocketObservation(WebSocket);
    const { received } = open({ WebSocket: observation.WebSocket });
    const session = await gateway.socket();
    await begin(session);
    session.sendRaw(compressed(1));
    session.sendRaw(compressed(2, 1));
    session.sendRaw(Uint8Array.of(NEXT_TEXT, STREAM, 0xff, 0xff));
    const next = await gateway.socket();
    await begin(next, false);
    next.sendRaw(message(3).toString());
    await until("all have come", () => received.length === 3);
    const { frames } = observation.traffic;
    const counted = ({ type }: { readonly type: string }): boolean => /message|binary/.test(type);
    assert.deepEqual(
      frames.filter(counted).map(({ type, count, last }) => [type, count, last]),
      [
        ["message", 3, message(3).toString()],
        ["binary", 1, "4 bytes"],
      ],
    );
    const [topic] = observation.traffic.snapshot();
    assert.deepEqual([topic?.topic, topic?.offset, topic?.messages], ["a", 3, 3]);
    assert.deepEqual(received, ["p1", "p2", "p3"]);
  });

  test("shouldResumeAfterAMessageOverTheLimit", async () => {
    const { received } = open({ compression: { maxMessageBytes: 1024 } });
    const session = await gateway.socket();
    await begin(session);
    const large = deflateRawSync(Buffer.alloc(1025, " "), { finishFlush: constants.Z_SYNC_FLUSH });
    session.sendRaw(Uint8Array.from([FULL_TEXT, STREAM, ...large.subarray(0, -4)]));
    const next = await gateway.socket();
    await begin(next, false);
    next.sendRaw(message(1).toString());
    await until("it has come", () => received.length === 1);
  });

  for (const [compression, problem] of [
    [{ maxMessageBytes: 1023 }, "1024 to 1073741824"],
    [{ maxMessageBytes: 2 ** 30 + 1 }, "1024 to 1073741824"],
    [{ maxBytes: 1024 }, "an object with maxMessageBytes only"],
  ] as const) {
    test(`shouldReject the option ${JSON.stringify(compression)}`, async () => {
      const { client } = open({ compression: compression as never });
      const errors: string[] = [];
      client.on("error", ({ message }) => errors.push(message));
      await until("it is reported", () => errors.length === 1);
      assert.ok(errors[0]?.includes(problem), errors[0]);
    });
  }

  test("shouldNotAnnounceItselfByDefault", async () => {
    open({ compression: false });
    const session = await gateway.socket();
    session.hello();
    assert.equal((await session.next("connect"))["compressed"], undefined);
  });
});
