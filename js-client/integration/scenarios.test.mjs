// Tests that a real node with a real broker answers like the in-memory node of
// @sluice/client/testing: the tests of the package run the same scenarios there.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { WebSocket } from "ws";
import { connect } from "../dist/index.js";
import { Broker, Gateway, until } from "./processes.mjs";
import { scenarios } from "./scenarios.mjs";

const SETTINGS = {
  "queues.send": "['>']",
  "queues.consume": "['>']",
  "queues.browse": "['>', DLQ]",
  "broker.forward-properties": "[region, quantity]",
  "topics.durable": "['>']",
  "topics.shared": "['>']",
  "topics.presence": "['>']",
  "limits.publish-rate": 10000,
};

/** WebSocket class that can cut its connections. */
class CuttableWebSocket extends WebSocket {
  static #all = new Set();

  constructor(...args) {
    super(...args);
    CuttableWebSocket.#all.add(this);
    this.on("close", () => CuttableWebSocket.#all.delete(this));
  }

  static cut() {
    for (const each of CuttableWebSocket.#all) each.terminate();
  }
}

describe("real node", { timeout: 300_000 }, () => {
  let broker;
  let gateway;

  before(async () => {
    broker = await Broker.start();
    gateway = await Gateway.start(broker, SETTINGS);
  });

  after(async () => {
    await gateway?.close();
    await broker?.stop("SIGKILL");
  });

  for (const encoding of process.env.SLUICE_FULL ? ["binary", "json"] : ["binary"]) {
    describe(encoding, () => {
      for (const { name, expected, run } of scenarios) {
        test(name, async () => {
          const clients = [];
          const open = async (options) => {
            const client = connect(gateway.url, {
              WebSocket: CuttableWebSocket,
              minBackoff: 20,
              maxBackoff: 200,
              encoding,
              ...options,
            });
            client.on("error", () => undefined);
            clients.push(client);
            await until("the client is connected", () => client.state.status === "open");
            return client;
          };
          try {
            const result = await run({
              open,
              cut: () => CuttableWebSocket.cut(),
              restartNode: async () => {
                await gateway.stop("SIGKILL");
                await gateway.start();
              },
              stopBroker: () => broker.stop("SIGKILL"),
              startBroker: () => broker.start(),
              until,
              name: (last) => `scenario.${encoding}.${last}`,
            });
            assert.deepEqual(result, expected);
          } finally {
            for (const client of clients) client.close();
          }
        });
      }
    });
  }
});
