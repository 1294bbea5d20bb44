import assert from "node:assert/strict";
import { resolve } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { ConnectOptions, Client } from "../src/index.js";
import { createTestBroker } from "../src/testing.js";
import { until } from "./support.js";

interface World {
  readonly open: (options?: ConnectOptions) => Promise<Client>;
  readonly cut: () => void;
  readonly restartNode: () => void;
  readonly stopBroker: () => void;
  readonly startBroker: () => void;
  readonly until: typeof until;
  readonly name: (last: string) => string;
}

interface Scenario {
  readonly name: string;
  readonly expected: unknown;
  readonly run: (world: World) => Promise<unknown>;
}

// The integration tests run the same scenarios against a real node.
const url = pathToFileURL(resolve("integration/scenarios.mjs")).href;
const { scenarios } = (await import(url)) as { readonly scenarios: readonly Scenario[] };

for (const encoding of ["binary", "json"] as const) {
  describe(`in-memory node, ${encoding}`, () => {
    for (const { name, expected, run } of scenarios) {
      test(name, async () => {
        const broker = createTestBroker();
        const node = broker.node();
        const open = async (options?: ConnectOptions): Promise<Client> => {
          const client = node.connect({ encoding, ...options });
          client.on("error", () => undefined);
          await broker.idle();
          return client;
        };
        const result = await run({
          open,
          cut: () => {
            node.cutConnections();
          },
          restartNode: () => {
            node.restart();
          },
          stopBroker: () => {
            broker.stop();
          },
          startBroker: () => {
            broker.start();
          },
          until,
          name: (last) => `scenario.${last}`,
        });
        broker.close();
        assert.deepEqual(result, expected);
      });
    }
  });
}
