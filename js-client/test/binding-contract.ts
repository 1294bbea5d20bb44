import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { WebSocket } from "ws";
import { z } from "zod";
import type { Client, ConnectOptions, ConnectionState, Gap, Message } from "../src/index.js";
import { ViewWindow, type MessageView, type ViewOptions } from "../src/bindings/message-view.js";
import type { PresenceView, PresenceViewOptions } from "../src/bindings/presence-view.js";
import { ManualFrames } from "./dom.js";
import { openClient, type OpenClient } from "./open-client.js";
import { ScriptedNode } from "./scripted-node.js";
import { isSluiceError, until } from "./support.js";

/** Values read by one render of a component. */
export interface Rendered {
  readonly view: MessageView;
  readonly connection: ConnectionState;
  readonly latestGap: Gap | undefined;
  readonly dismiss: () => void;
  readonly presence: PresenceView;
}

/** Arguments of a component, which a test may replace. */
export interface Arguments {
  readonly topic: string | undefined;
  readonly options: ViewOptions;
  /** Topic of the presence. */
  readonly room?: string | undefined;
  readonly presenceOptions?: PresenceViewOptions;
  /** User of a client that the provider creates. */
  readonly identity?: string;
}

/** Client to provide, or the arguments to create one. */
export type Provided = Client | { readonly url: string; readonly options: ConnectOptions };

/** Returns the user for a provider. */
export function identityOf({ identity = "" }: Arguments): string {
  return identity;
}

/** Mounted component that calls `onRender` at each render. */
export interface Mounted {
  readonly update: (args: Arguments) => void;
  readonly unmount: () => void;
}

/** Mounts a component of a framework below a provider. */
export type Mount = (
  provided: Provided,
  args: Arguments,
  onRender: (rendered: Rendered) => void,
) => Mounted | Promise<Mounted>;

/** Copies a view, because reactive members change. */
export function copyOf(view: MessageView): MessageView {
  const { messages, message, payload, state, gap, error } = view;
  return { messages, message, payload, state, gap, error };
}

/** Copies a presence, because reactive members change. */
export function copyOfPresence(presence: PresenceView): PresenceView {
  const { count, members, partial, live, self, error } = presence;
  return { count, members, partial, live, self, error };
}

/** Component in a test, with what it has rendered. */
class Page {
  readonly renders: Rendered[] = [];
  readonly frames = new ManualFrames();
  readonly #mounted: Mounted[] = [];

  async mount(mount: Mount, provided: Provided, args: Arguments): Promise<void> {
    const onRender = (rendered: Rendered): void => {
      this.renders.push(rendered);
    };
    this.#mounted.push(await mount(provided, args, onRender));
  }

  get last(): Rendered {
    const last = this.renders.at(-1);
    assert.ok(last, "it is rendered");
    return last;
  }

  get view(): MessageView {
    return this.last.view;
  }

  get payloads(): unknown[] {
    return this.view.messages.map(({ payload }) => payload);
  }

  update(args: Arguments): void {
    for (const { update } of this.#mounted) update(args);
  }

  unmount(): void {
    for (const { unmount } of this.#mounted.splice(0)) unmount();
  }

  /** Triggers frames until a condition holds. */
  async shows(what: string, holds: () => boolean): Promise<void> {
    await until(what, () => {
      if (!holds()) this.frames.show();
      return holds();
    });
  }
}

/**
 * Defines the tests that each binding has to pass with its framework.
 *
 * @param hasFixedOptions - Whether it has no provider, and other options always replace the
 *   subscription.
 */
export function describeBinding(name: string, mount: Mount, hasFixedOptions = false): void {
  describe(name, { timeout: 60_000 }, () => {
    let opened: OpenClient;
    let page: Page;

    beforeEach(async () => {
      opened = await openClient(["presence"]);
      page = new Page();
    });

    afterEach(async () => {
      page.unmount();
      await opened.stop();
    });

    async function show(topic: string | undefined, options: ViewOptions = {}): Promise<void> {
      await page.mount(mount, opened.client, { topic, options });
    }

    test("shouldShowTheNewestMessage", async () => {
      await show("stocks.7", { from: "snapshot" });
      assert.deepEqual(page.payloads, []);
      const { from } = await opened.session.subscribed(1, { replay: 1 });
      assert.equal(from, "snapshot");
      opened.session.message("stocks.7", 1, "one");
      await page.shows("one", () => page.view.payload === "one");
      assert.equal(page.view.message?.topic, "stocks.7");
      assert.equal(page.view.state.status, "live");
      opened.session.message("stocks.7", 2, "two");
      await page.shows("two", () => page.view.payload === "two");
      assert.deepEqual(page.payloads, ["two"]);
    });

    test("shouldConvertPayloads", async () => {
      await show("stocks.7", { payload: "json" });
      await opened.session.subscribed();
      opened.session.message("stocks.7", 1, '{"price":3}');
      await page.shows("it", () => page.view.message !== undefined);
      assert.deepEqual(page.view.payload, { price: 3 });
    });

    test("shouldRenderOncePerFrame", async () => {
      await show("stocks.7", { keep: 3 });
      await opened.session.subscribed();
      await page.shows("live", () => page.view.state.status === "live");
      let received = 0;
      opened.client.subscribe("stocks.7", () => received++);
      const before = page.renders.length;
      for (let offset = 1; offset <= 500; offset++) {
        opened.session.message("stocks.7", offset, String(offset));
      }
      await until("all are received", () => received === 500);
      assert.equal(page.renders.length, before);
      page.frames.show();
      await until("they are rendered", () => page.view.payload === "500");
      assert.deepEqual(page.payloads, ["498", "499", "500"]);
      assert.equal(page.renders.length, before + 1);
    });

    test("shouldSubscribeToAnotherTopic", async () => {
      await show("stocks.7");
      await opened.session.subscribed();
      opened.session.message("stocks.7", 1, "of 7");
      await page.shows("it", () => page.view.payload === "of 7");
      page.update({ topic: "stocks.8", options: {} });
      assert.equal((await opened.session.subscribed())["topic"], "stocks.8");
      await until("unsubscribed", () => opened.session.count("unsubscribe") === 1);
      assert.equal(page.view.payload, undefined);
      opened.session.message("stocks.8", 1, "of 8");
      await page.shows("it", () => page.view.payload === "of 8");
      page.update({ topic: undefined, options: {} });
      await until("unsubscribed", () => opened.session.count("unsubscribe") === 2);
      assert.equal(page.view.state.status, "pending");
    });

    test("shouldKeepTheSubscriptionWithNewOptionObjects", { skip: hasFixedOptions }, async () => {
      await show("chat", { keep: 3 });
      await opened.session.subscribed();
      for (const offset of [1, 2, 3]) opened.session.message("chat", offset, String(offset));
      await page.shows("three", () => page.view.messages.length === 3);
      page.update({ topic: "chat", options: { keep: 3 } });
      page.update({ topic: "chat", options: { keep: 2 } });
      await page.shows("two", () => page.view.messages.length === 2);
      assert.deepEqual(page.payloads, ["2", "3"]);
      assert.equal(opened.session.count("subscribe"), 1);
      page.update({ topic: "chat", options: { keep: 2, rate: 5 } });
      assert.equal((await opened.session.subscribed())["rate"], 5);
      assert.equal(page.view.error, undefined);
    });

    test("shouldKeepTheNewestOfEachKey", async () => {
      const by = ({ properties }: Message): unknown => properties["symbol"];
      await show("stocks.>", { keep: 2, by });
      await opened.session.subscribed();
      for (const [index, symbol] of ["A", "B", "A", "C"].entries()) {
        const members = { pattern: "stocks.>", properties: { symbol } };
        opened.session.message("stocks.x", index + 1, `${symbol}${String(index + 1)}`, members);
      }
      await page.shows("the last", () => page.view.payload === "C4");
      assert.deepEqual(page.payloads, ["A3", "C4"]);
    });

    test("shouldEndTheSubscriptionOnUnmount", async () => {
      await show("stocks.7");
      await opened.session.subscribed();
      await page.shows("live", () => page.view.state.status === "live");
      let received = 0;
      opened.client.subscribe("chat", () => received++);
      await opened.session.subscribed();
      opened.session.message("stocks.7", 1, "late");
      opened.session.message("chat", 1, "later");
      await until("both are received", () => received === 1);
      const before = page.renders.length;
      page.unmount();
      assert.equal((await opened.session.next("unsubscribe"))["topic"], "stocks.7");
      page.frames.show();
      assert.equal(page.renders.length, before);
      assert.equal(opened.client.state.status, "open", "the application closes its client");
    });

    test("shouldShareASubscription", async () => {
      await show("chat", { keep: 2 });
      await opened.session.subscribed();
      opened.session.message("chat", 1, "1");
      await page.shows("it", () => page.view.payload === "1");
      await show("chat", { keep: 2 });
      await page.shows("it at once", () => page.view.payload === "1");
      assert.equal(opened.session.count("subscribe"), 1);
    });

    test("shouldShowAGapUntilTheNextMessage", async () => {
      await show("stocks.7");
      await opened.session.subscribed();
      opened.session.message("stocks.7", 1, "one");
      const gap = { type: "gap", topic: "stocks.7", reason: "overload", offset: 3, time: 1 };
      opened.session.send(gap);
      await page.shows("a gap", () => page.view.gap?.reason === "overload");
      assert.equal(page.view.payload, "one");
      assert.equal(page.renders.at(-1)?.latestGap?.topic, "stocks.7");
      opened.session.message("stocks.7", 4, "four");
      await page.shows("four", () => page.view.payload === "four");
      assert.equal(page.view.gap, undefined);
      assert.equal(page.renders.at(-1)?.latestGap?.reason, "overload");
    });

    test("shouldDismissAGap", async () => {
      await show("stocks.7");
      await opened.session.subscribed();
      const gap = { type: "gap", topic: "stocks.7", reason: "overload", offset: 3, time: 1 };
      opened.session.send(gap);
      await page.shows("a gap", () => page.last.latestGap?.reason === "overload");
      page.last.dismiss();
      await page.shows("none", () => page.last.latestGap === undefined);
      opened.session.send({ ...gap, reason: "too-large", offset: 4 });
      await page.shows("the next one", () => page.last.latestGap?.reason === "too-large");
    });

    test("shouldShowTheErrorOfAnInvalidPayloadUntilTheNextMessage", async () => {
      const schema = z.object({ price: z.number() });
      await show("stocks.7", { schema });
      await opened.session.subscribed();
      opened.session.message("stocks.7", 1, '{"price":"1"}');
      await page.shows("the error", () => page.view.error?.code === "invalid-payload");
      assert.equal(page.view.payload, undefined);
      assert.deepEqual(
        opened.errors.map(({ code }) => code),
        ["invalid-payload"],
      );
      opened.session.message("stocks.7", 2, '{"price":2}');
      await page.shows("the payload", () => page.view.payload !== undefined);
      assert.deepEqual(page.view.payload, { price: 2 });
      assert.equal(page.view.error, undefined);
      opened.session.message("stocks.7", 3, "{");
      await page.shows("the error", () => page.view.error?.code === "bad-payload");
      assert.deepEqual(page.view.payload, { price: 2 });
    });

    test("shouldRejectAnInvalidKeep", () => {
      const isInvalid = isSluiceError("invalid-argument");
      const window = new ViewWindow(opened.client, () => undefined);
      for (const keep of [0, 1.5, 1_000_001]) {
        assert.throws(() => {
          window.update("stocks.7", { keep });
        }, isInvalid);
      }
    });

    test("shouldShowThePresenceOfATopic", async () => {
      const args = { topic: undefined, options: {}, room: "room.1" };
      await page.mount(mount, opened.client, { ...args, presenceOptions: { info: "Ann" } });
      const { ref, info } = await opened.session.next("presence");
      assert.equal(info, "Ann");
      const ann = { id: "a", subject: undefined, info: "Ann" };
      const answer = { type: "present", ref, topic: "room.1", self: "a", count: 1 };
      opened.session.send({ ...answer, members: [ann] });
      await page.shows("one", () => page.last.presence.count === 1);
      assert.deepEqual([page.last.presence.self, page.last.presence.live], ["a", true]);
      opened.session.send({ type: "present", topic: "room.1", count: 2, joined: [{ id: "b" }] });
      await page.shows("two", () => page.last.presence.members?.length === 2);
      if (!hasFixedOptions) {
        page.update({ ...args, presenceOptions: { info: "Bob" } });
        assert.equal((await opened.session.next("presence"))["info"], "Bob");
        assert.equal(opened.session.count("leave"), 0);
      }
      page.update({ ...args, room: undefined });
      assert.equal((await opened.session.next("leave"))["topic"], "room.1");
      await page.shows("none", () => page.last.presence.count === 0);
      assert.equal(page.last.presence.live, false);
    });

    test("shouldLeaveATopicOnUnmount", async () => {
      const args = { topic: undefined, options: {}, room: "room.1" };
      await page.mount(mount, opened.client, { ...args, presenceOptions: { enter: false } });
      const { ref } = await opened.session.next("presence");
      opened.session.send({ type: "present", ref, topic: "room.1", count: 3 });
      await page.shows("three", () => page.last.presence.count === 3);
      page.unmount();
      assert.equal((await opened.session.next("leave"))["topic"], "room.1");
    });

    test("shouldShowTheErrorOfAPresence", async () => {
      await page.mount(mount, opened.client, { topic: undefined, options: {}, room: "secret" });
      const { ref } = await opened.session.next("presence");
      const refusal = { code: "forbidden", message: "not for you", topic: "secret" };
      opened.session.send({ type: "error", ref, ...refusal });
      await page.shows("the error", () => page.last.presence.error?.code === "forbidden");
      // The next session accepts the request.
      opened.session.cut();
      const session = await opened.node.session();
      session.hello({ features: ["presence"] });
      const again = await session.next("presence");
      session.send({ type: "present", ref: again.ref, topic: "secret", self: "a", count: 1 });
      await page.shows("one", () => page.last.presence.count === 1);
      assert.deepEqual([page.last.presence.error, page.last.presence.live], [undefined, true]);
    });

    test("shouldShowTheErrorOfARefusedSubscription", async () => {
      await show("secret");
      const { ref } = await opened.session.next("subscribe");
      const refusal = { code: "forbidden", message: "not for you", topic: "secret" };
      opened.session.send({ type: "error", ref, ...refusal });
      await page.shows("the error", () => page.view.error?.code === "forbidden");
      assert.equal(page.view.state.status, "refused");
      page.update({ topic: "not a topic", options: {} });
      await page.shows("that it is none", () => page.view.error?.code === "invalid-argument");
    });

    test("shouldShowTheConnectionState", async () => {
      await show("chat");
      assert.equal(page.renders.at(-1)?.connection.status, "open");
      opened.session.send({ type: "stale" });
      await until("stale", () => page.renders.at(-1)?.connection.status === "stale");
    });

    test("shouldStartAnewForAnotherUser", { skip: hasFixedOptions }, async () => {
      const node = await ScriptedNode.start();
      try {
        let user = "ann";
        const options = { WebSocket, encoding: "json", minBackoff: 5, token: () => user } as const;
        const args = { topic: "chat", options: {}, identity: user };
        await page.mount(mount, { url: node.url, options }, args);
        const session = await node.session();
        assert.equal((await session.next("connect"))["token"], "ann");
        session.hello({ subject: "ann" });
        await session.subscribed();
        session.message("chat", 1, "of ann");
        await page.shows("it", () => page.view.payload === "of ann");
        user = "bob";
        page.update({ ...args, identity: user });
        await page.shows("nothing", () => page.view.payload === undefined);
        await until("the session of ann ends", () => session.closeCode === 1000);
        const next = await node.session();
        assert.equal((await next.next("connect"))["token"], "bob");
        next.hello({ subject: "bob" });
        assert.equal((await next.subscribed())["from"], undefined);
        next.message("chat", 1, "of bob");
        await page.shows("it", () => page.view.payload === "of bob");
      } finally {
        page.unmount();
        await node.stop();
      }
    });

    test("shouldOpenOneConnectionAndCloseItOnUnmount", async () => {
      const node = await ScriptedNode.start();
      try {
        const options = { WebSocket, encoding: "json" } as const;
        await page.mount(mount, { url: node.url, options }, { topic: "chat", options: {} });
        const session = await node.session();
        session.hello();
        await session.subscribed();
        session.message("chat", 1, "one");
        await page.shows("one", () => page.view.payload === "one");
        assert.equal(page.renders.at(-1)?.connection.status, "open");
        page.unmount();
        await until("it is closed", () => session.closeCode === 1000);
        assert.equal(node.sessions.length, 1);
      } finally {
        await node.stop();
      }
    });
  });
}
