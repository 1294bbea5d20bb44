import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { ViewWindow } from "../src/bindings/message-view.js";
import { openClient } from "./open-client.js";
import { isSluiceError, until } from "./support.js";

test("shouldRejectAnInvalidRetention", async (context) => {
  const { client, session, stop } = await openClient();
  context.after(stop);
  const window = new ViewWindow(client, () => undefined);
  for (const keep of [0, 1.5, 1_000_001, NaN]) {
    assert.throws(() => {
      window.update("chat", { keep });
    }, isSluiceError("invalid-argument"));
  }
  assert.equal(session.count("subscribe"), 0);
  window.update("chat", { keep: 1_000_000 });
  assert.equal((await session.subscribed())["topic"], "chat");
  assert.throws(() => {
    window.update("chat", { keep: 0 });
  }, /keep must be a whole number from 1 to 1000000, not 0/);
  assert.equal(window.view.error, undefined, "the subscription remains");
  window.close();
  await session.next("unsubscribe");
});

test("shouldClearThePayloadErrorOfAnotherUser", async (context) => {
  const { node, client, session, stop } = await openClient();
  context.after(stop);
  session.cut();
  const ofAnn = await node.session();
  ofAnn.hello({ subject: "ann" });
  const window = new ViewWindow(client, () => undefined);
  context.after(() => {
    window.close();
  });
  window.update("chat", { schema: z.object({ price: z.number() }) });
  await ofAnn.subscribed();
  ofAnn.message("chat", 1, '{"price":"1"}');
  await until("the error is shown", () => window.view.error?.code === "invalid-payload");
  ofAnn.cut();
  const ofBob = await node.session();
  ofBob.hello({ subject: "bob" });
  await until("the gap is shown", () => window.view.gap?.reason === "identity-changed");
  assert.equal(window.view.error, undefined);
});
