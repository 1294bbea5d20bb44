import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createComponent, type JSX } from "solid-js";
import { renderToString as renderSolid } from "solid-js/web";
import { render as renderSvelte } from "svelte/server";
import { createSSRApp, defineComponent, h } from "vue";
import { renderToString as renderVue } from "vue/server-renderer";
import * as rxjs from "../../src/rxjs.js";
import * as solid from "../../src/solid.js";
import * as vue from "../../src/vue.js";
import Server from "./Server.svelte";

const url = "ws://127.0.0.1:1/ws";
const refuse = (): never => assert.fail("a server must not connect");
const options = { WebSocket: refuse as never };

// The test of Angular is in angular.test.ts.
describe("on a server", () => {
  test("shouldHaveNoDocument", () => {
    assert.equal(typeof window, "undefined");
    assert.equal(typeof document, "undefined");
  });

  test("shouldRenderVue", async () => {
    const Child = defineComponent(() => {
      const { state, messages } = vue.useMessages("chat", { keep: 5 });
      const connection = vue.useConnection();
      const { gap } = vue.useGap();
      const { count } = vue.usePresence("room.1");
      return () =>
        `${connection.value.status} ${state.value.status} ${String(messages.value.length)}` +
        String(gap.value?.reason ?? "") +
        (count.value === 0 ? "" : "entered");
    });
    const Page = defineComponent(() => {
      vue.provideSluice(url, options);
      return () => h("p", [h(Child)]);
    });
    assert.equal(await renderVue(createSSRApp(Page)), "<p>connecting pending 0</p>");
  });

  test("shouldRenderSvelte", async () => {
    const { body } = await renderSvelte(Server, { props: { url, options } });
    const text = body.replace(/<!--.*?-->/g, "").replace(/\s+/g, " ");
    assert.equal(text.trim(), "connecting pending 0");
  });

  test("shouldRenderSolid", () => {
    const Page = (): JSX.Element => {
      const chat = solid.createMessages("chat", { keep: 5 });
      const connection = solid.createConnection();
      const gap = solid.createGap();
      const presence = solid.createPresence("room.1");
      assert.equal(presence.count, 0);
      return `${connection().status} ${chat.state.status} ${String(chat.messages.length)}${String(gap()?.reason ?? "")}`;
    };
    const html = renderSolid(() =>
      createComponent(solid.SluiceProvider, {
        url,
        options,
        get children() {
          return createComponent(Page, {});
        },
      }),
    );
    assert.equal(html, "connecting pending 0");
  });

  test("shouldImportRxjs", () => {
    assert.equal(typeof rxjs.messages$, "function");
  });
});
