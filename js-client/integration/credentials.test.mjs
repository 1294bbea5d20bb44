// Tests of the SDK's credentials against a real node that validates them.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { WebSocket } from "ws";
import { connect } from "../dist/index.js";
import { Issuer } from "./issuer.mjs";
import { Broker, Gateway, until } from "./processes.mjs";

const LIFE_MS = 5_000;

describe("the SDK's credentials and a real node", { timeout: 300_000 }, () => {
  let issuer;
  let broker;
  let gateway;
  const clients = [];

  before(async () => {
    issuer = await Issuer.start();
    broker = await Broker.start();
    gateway = await Gateway.start(broker, {
      "auth.jwt.keys": JSON.stringify([issuer.keyFile]),
      "limits.publish-rate": 10000,
    });
  });

  after(async () => {
    await gateway?.close();
    await broker?.stop("SIGKILL");
    await issuer?.close();
  });

  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  /** Returns a client and the events that it has reported. */
  function open(options) {
    const client = connect(gateway.url, { WebSocket, minBackoff: 20, maxBackoff: 200, ...options });
    const reported = { client, errors: [], statuses: [], payloads: [], gaps: [] };
    client.on("error", (error) => reported.errors.push(error));
    client.on("state", ({ status }) => reported.statuses.push(status));
    client.on("gap", (gap) => reported.gaps.push(gap));
    clients.push(client);
    return reported;
  }

  for (const transport of ["websocket", "http"]) {
    test(`shouldStayConnectedBeyondTokenExpiry by ${transport}`, async () => {
      let calls = 0;
      const token = () => {
        calls++;
        return issuer.token("alice", LIFE_MS);
      };
      const { client, errors, statuses, payloads, gaps } = open({ token, transports: [transport] });
      const subscription = client.subscribe("sdk.stays", ({ payload }) => payloads.push(payload));
      await until("it is live", () => subscription.state.status === "live");
      const before = Date.now();
      for (let i = 0; Date.now() - before < 2.5 * LIFE_MS; i++) {
        await client.publish("sdk.stays", String(i));
        await until("it has come", () => payloads.length === i + 1);
      }
      assert.ok(calls >= 3, `called ${calls} times`);
      assert.deepEqual(payloads, [...payloads.keys()].map(String));
      assert.deepEqual([errors, gaps, statuses], [[], [], ["open"]]);
    });
  }

  test("shouldReconnectWithAFreshTokenIfTheRefreshFailed", async () => {
    let calls = 0;
    const { client, statuses, errors } = open({
      token: () => {
        calls++;
        if (calls === 1) return issuer.token("alice", 3_000);
        if (Date.now() < ends) throw new Error("no network");
        return issuer.token("alice", 60_000);
      },
    });
    await until("it is open", () => client.state.status === "open");
    const ends = client.state.hello.expires;
    let sessions = 0;
    client.on("hello", () => sessions++);
    await until("the next session", () => sessions === 1);
    assert.deepEqual(statuses, ["open"]);
    assert.ok(errors.every(({ code }) => code === "no-token"));
  });

  test("shouldReportTheNodesErrorForARejectedToken", async () => {
    let calls = 0;
    const token = () => {
      calls++;
      return issuer.token("alice", -60_000);
    };
    const { client, errors } = open({ token });
    await until("it is closed", () => client.state.status === "closed");
    assert.equal(calls, 2);
    assert.deepEqual(
      errors.map(({ code }) => code),
      ["unauthorized"],
    );
    assert.ok(errors[0].message.length > 0);
  });

  test("shouldRefuseAClientWithoutAToken", async () => {
    const { client, errors } = open({});
    await until("it is closed", () => client.state.status === "closed");
    assert.equal(errors[0].code, "unauthorized");
  });
});
