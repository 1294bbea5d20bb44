import assert from "node:assert/strict";
import { test } from "node:test";
import { createElement as h, type ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { SluiceProvider, useConnection, useMessages, useTopic } from "../src/react.js";

function Page(): ReactNode {
  const { status } = useConnection();
  const { message, state } = useTopic("stocks.7");
  const { messages } = useMessages("chat", { keep: 5 });
  const count = messages.length + (message ? 1 : 0);
  return `${status} ${state.status} ${String(count)}`;
}

test("shouldRenderOnAServerWithoutAConnection", () => {
  assert.equal(typeof window, "undefined");
  const url = "ws://127.0.0.1:1/ws";
  const refuse = (): never => assert.fail("a server must not connect");
  const options = { WebSocket: refuse as never };
  const html = renderToString(h(SluiceProvider, { url, options }, h(Page)));
  assert.equal(html, "connecting pending 0");
});
