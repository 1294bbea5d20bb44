import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { ManualFrames } from "./dom.js";
import { createElement as h, useEffect, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { WebSocket } from "ws";
import { z } from "zod";
import { connect, type Client, type Gap, type Message, type SluiceError } from "../src/index.js";
import {
  createHooks,
  SluiceProvider,
  useConnection,
  useConsumer,
  useGap,
  useMessages,
  useSubscription,
  useTopic,
  type GapNotice,
} from "../src/react.js";
import { ScriptedNode, type ScriptedSession } from "./scripted-node.js";
import { until } from "./support.js";

describe("typed hooks", { timeout: 60_000 }, () => {
  let node: ScriptedNode;
  let frames: ManualFrames;
  let root: Root;
  let client: Client;
  let session: ScriptedSession;
  let errors: SluiceError[];

  beforeEach(async () => {
    node = await ScriptedNode.start();
    frames = new ManualFrames();
    root = createRoot(document.body.appendChild(document.createElement("div")));
    errors = [];
    client = connect(node.url, { WebSocket, minBackoff: 5, maxBackoff: 20 });
    client.on("error", (error) => errors.push(error));
    session = await node.session();
    session.hello({ features: ["queues"] });
    await until("open", () => client.state.status === "open");
  });

  afterEach(async () => {
    root.unmount();
    client.close();
    await node.stop();
  });

  async function shown(what: string, holds: () => boolean): Promise<void> {
    await until(what, () => {
      if (!holds()) frames.show();
      return holds();
    });
  }

  async function render(component: () => ReactNode): Promise<void> {
    let isDone = false;
    const Done = (): null => {
      useEffect(() => {
        isDone = true;
      });
      return null;
    };
    const children = [h(component, { key: "one" }), h(Done, { key: "done" })];
    root.render(h(SluiceProvider, { client }, ...children));
    await until("React has rendered", () => isDone);
  }

  test("shouldValidateWithASchemaOfEachRender", async () => {
    const payloads: unknown[] = [];
    await render(() => {
      // The type of the payload is that of the schema.
      const { payload } = useTopic("a", { schema: z.object({ price: z.number() }) });
      payloads.push(payload?.price);
      return null;
    });
    await session.subscribed();
    session.message("a", 1, '{"price":"1"}');
    session.message("a", 2, '{"price":2}');
    await shown("the valid one", () => payloads.at(-1) === 2);
    assert.equal(errors[0]?.code, "invalid-payload");
    assert.equal(session.count("subscribe"), 1);
  });

  test("shouldKeepTheOrderOfTheKeysFirstAppearance", async () => {
    const views: unknown[][] = [];
    const later: unknown[][] = [];
    let isSecondShown = false;
    const Rows = ({ to }: { readonly to: unknown[][] }): null => {
      const { messages } = useMessages("a", {
        payload: "text",
        keep: 3,
        by: ({ payload }) => payload[0],
      });
      to.push(messages.map(({ payload }) => payload));
      return null;
    };
    const Both = (): ReactNode => [
      h(Rows, { key: "first", to: views }),
      isSecondShown ? h(Rows, { key: "second", to: later }) : null,
    ];
    await render(Both);
    await session.subscribed();
    for (const [index, payload] of ["B1", "A1", "C1", "B2", "A2"].entries()) {
      session.message("a", index + 1, payload);
    }
    await shown("A2", () => views.at(-1)?.[1] === "A2");
    assert.deepEqual(views.at(-1), ["B2", "A2", "C1"]);
    isSecondShown = true;
    await render(Both);
    await shown("the copy", () => later.at(-1)?.length === 3);
    assert.deepEqual(later.at(-1), ["B2", "A2", "C1"]);
    // The key that has not changed for longest is removed.
    session.message("a", 6, "D1");
    await shown("D1", () => later.at(-1)?.[2] === "D1");
    assert.deepEqual(
      [views.at(-1), later.at(-1)],
      [
        ["B2", "A2", "D1"],
        ["B2", "A2", "D1"],
      ],
    );
  });

  test("shouldCallTheLatestHandlerWithoutRendering", async () => {
    const seen: unknown[] = [];
    const gaps: Gap[] = [];
    let renders = 0;
    await render(() => {
      const render = ++renders;
      useSubscription(
        "a",
        {
          onMessage: ({ payload }: Message<"text">) => seen.push([render, payload]),
          onGap: (gap) => gaps.push(gap),
        },
        { payload: "text" },
      );
      return null;
    });
    await session.subscribed();
    session.message("a", 1, "one");
    session.send({ type: "gap", topic: "a", reason: "overload", offset: 1, time: 1 });
    await until("both", () => seen.length === 1 && gaps.length === 1);
    assert.equal(renders, 1);
    assert.deepEqual(seen, [[1, "one"]]);
    root.render(null);
    await session.next("unsubscribe");
  });

  test("shouldReplaceTheHandlerButNotTheSubscription", async () => {
    const seen: unknown[] = [];
    let handler = (message: Message): unknown => seen.push(["old", message.payload]);
    const Component = (): null => {
      useSubscription("a", handler);
      return null;
    };
    await render(Component);
    handler = ({ payload }) => seen.push(["new", payload]);
    await render(Component);
    await session.subscribed();
    session.message("a", 1, "x");
    await until("received", () => seen.length === 1);
    assert.deepEqual(seen, [["new", "x"]]);
    assert.equal(session.count("subscribe"), 1);
  });

  test("shouldReportAnInvalidTopicToTheHandler", async () => {
    const codes: string[] = [];
    await render(() => {
      const onError = ({ code }: SluiceError): unknown => codes.push(code);
      useSubscription("not a topic", { onMessage: () => undefined, onError });
      useSubscription(undefined, () => undefined);
      return null;
    });
    assert.deepEqual(codes, ["invalid-argument"]);
  });

  test("shouldShowAGapUntilItIsDismissed", async () => {
    const notices: GapNotice[] = [];
    const states: string[] = [];
    client.subscribe("a", () => undefined);
    await session.subscribed();
    await render(() => {
      notices.push(useGap());
      states.push(useConnection().status);
      return null;
    });
    assert.deepEqual([notices.at(-1)?.gap, states.at(-1)], [undefined, "open"]);
    session.send({ type: "gap", topic: "a", reason: "overload", offset: 1, time: 1 });
    await until("shown", () => notices.at(-1)?.gap?.reason === "overload");
    notices.at(-1)?.dismiss();
    await until("dismissed", () => notices.at(-1)?.gap === undefined);
    assert.equal(notices[0]?.dismiss, notices.at(-1)?.dismiss);
  });

  test("shouldConsumeWithASchema", async () => {
    const prices: number[] = [];
    await render(() => {
      useConsumer("orders", ({ payload }) => prices.push(payload.price), {
        schema: z.object({ price: z.number() }),
      });
      return null;
    });
    const { ref } = await session.next("consume");
    session.send({ type: "consuming", ref, queue: "orders" });
    const id = "00000000000000ff";
    session.send({ type: "delivery", ref, tag: 1, id, time: 1, payload: '{"price":1}' });
    const ack = await session.next("ack");
    session.send({ type: "settled", ref: ack.ref, subscription: ref });
    assert.deepEqual(prices, [1]);
  });

  test("shouldReturnTheSameHooksWithTheTypesOfATopicMap", () => {
    const hooks = createHooks<{ readonly a: number }>();
    assert.equal(hooks.useTopic, useTopic);
    assert.equal(hooks.useSubscription, useSubscription);
    assert.equal(hooks.useGap, useGap);
  });
});
