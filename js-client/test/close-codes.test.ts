import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { WebSocket } from "ws";
import { connect, type Client } from "../src/index.js";
import { ScriptedNode } from "./scripted-node.js";
import { until } from "./support.js";

const FINAL = [4200, 4201, 4203, 4204, 4205];
const ODD = [999, 2000, 3000, 3999, 4099, 4100, 4101, 4199, 4299, 4999, 65_535];
const CODES = [...range(1000, 1015), ...range(4000, 4006), ...range(4200, 4206), ...ODD];

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

describe("close codes of a node or a proxy", { timeout: 60_000 }, () => {
  let node: ScriptedNode;
  let client: Client;

  beforeEach(async () => {
    node = await ScriptedNode.start();
  });

  afterEach(async () => {
    client.close();
    await node.stop();
  });

  for (const code of CODES) {
    const isFinal = FINAL.includes(code);
    test(`should${isFinal ? "Not" : ""}ReconnectAfter ${String(code)}`, async () => {
      client = connect(node.url, { WebSocket, minBackoff: 1, maxBackoff: 2 });
      client.on("error", () => undefined);
      const session = await node.session();
      session.hello();
      await until("open", () => client.state.status === "open");
      session.closeRaw(code);
      if (isFinal) await until("closed", () => client.state.status === "closed");
      else {
        (await node.session()).hello();
        await until("open again", () => client.state.status === "open");
        assert.equal(node.sessions.length, 2);
      }
    });
  }
});
