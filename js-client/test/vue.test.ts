import assert from "node:assert/strict";
import { test } from "node:test";
import "./dom-globals.js";
import { createApp, defineComponent, h, reactive, shallowRef, type Component } from "vue";
import { WebSocket } from "ws";
import { connect } from "../src/index.js";
import {
  createComposables,
  provideSluice,
  sluiceKey,
  useConnection,
  useGap,
  useMessages,
  usePresence,
  useSluice,
} from "../src/vue.js";
import {
  copyOfPresence,
  describeBinding,
  identityOf,
  type Arguments,
  type Mount,
  type Provided,
  type Rendered,
} from "./binding-contract.js";

function provide(provided: Provided, identity: () => string): void {
  if ("url" in provided) provideSluice(provided.url, { ...provided.options, identity });
  else provideSluice(provided);
}

const mount: Mount = (provided, initial, onRender) => {
  const args = shallowRef<Arguments>(initial);
  const Child = defineComponent(() => {
    const { messages, message, payload, state, gap, error } = useMessages(
      () => args.value.topic,
      () => args.value.options,
    );
    const connection = useConnection();
    const { gap: latestGap, dismiss } = useGap();
    const presence = usePresence(
      () => args.value.room,
      () => args.value.presenceOptions ?? {},
    );
    return () => {
      const view: Rendered["view"] = {
        messages: messages.value,
        message: message.value,
        payload: payload.value,
        state: state.value,
        gap: gap.value,
        error: error.value,
      };
      onRender({
        view,
        connection: connection.value,
        latestGap: latestGap.value,
        dismiss,
        presence: copyOfPresence(reactive(presence)),
      });
      return h("b", String(view.payload));
    };
  });
  const Root = defineComponent(() => {
    provide(provided, () => identityOf(args.value));
    return () => h(Child);
  });
  return mountApp(Root, (next: Arguments) => {
    args.value = next;
  });
};

function mountApp(root: Component, update: (args: Arguments) => void): ReturnType<Mount> {
  const app = createApp(root);
  app.mount(document.createElement("div"));
  return {
    update,
    unmount: () => {
      app.unmount();
    },
  };
}

describeBinding("vue", mount);

test("shouldProvideTheClientOfAnApp", () => {
  const client = connect("ws://127.0.0.1:1/ws", { WebSocket });
  try {
    const app = createApp({});
    app.provide(sluiceKey, client);
    assert.equal(
      app.runWithContext(() => useSluice()),
      client,
    );
  } finally {
    client.close();
  }
});

test("shouldUseTheClientInTheComponentThatProvidesIt", () => {
  const used: unknown[] = [];
  const app = createApp(
    defineComponent(() => {
      used.push(provideSluice("ws://127.0.0.1:1/ws", { WebSocket }), useSluice());
      return () => h("b");
    }),
  );
  app.mount(document.createElement("div"));
  app.unmount();
  assert.equal(used[0], used[1]);
});

test("shouldNameTheMissingProvider", () => {
  assert.throws(() => useSluice(), /useSluice requires provideSluice/);
});

test("shouldReturnTheSameComposablesWithTheTypesOfATopicMap", () => {
  const composables = createComposables<{ readonly a: number }>();
  assert.equal(composables.useMessages, useMessages);
  assert.equal(composables.usePresence, usePresence);
});
