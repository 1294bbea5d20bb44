import assert from "node:assert/strict";
import { test } from "node:test";
import "../dom-globals.js";
import { flushSync, mount as mountComponent, unmount } from "svelte";
import { createSubscriber } from "svelte/reactivity";
import { createReactive, getSluice, messages, presence } from "../../src/svelte.js";
import { describeBinding, type Arguments, type Mount } from "../binding-contract.js";
import Page from "./Page.svelte";

/** Returns a reactive value without a compiler. */
function reactive(initial: Arguments): { get: () => Arguments; set: (next: Arguments) => void } {
  let value = initial;
  let notify: (() => void) | undefined;
  const track = createSubscriber((update) => {
    notify = update;
  });
  return {
    get: () => {
      track();
      return value;
    },
    set: (next) => {
      value = next;
      notify?.();
    },
  };
}

const mount: Mount = (provided, initial, onRender) => {
  const args = reactive(initial);
  const target = document.body.appendChild(document.createElement("div"));
  const props = { provided, args: args.get, onRender };
  const component = mountComponent(Page, { target, props });
  flushSync();
  return {
    update: (next) => {
      args.set(next);
      flushSync();
    },
    unmount: () => {
      void unmount(component);
    },
  };
};

describeBinding("svelte", mount);

test("shouldRequireAComponent", () => {
  assert.throws(() => getSluice(), /lifecycle_outside_component/);
});

test("shouldReturnTheSameFunctionsWithTheTypesOfATopicMap", () => {
  const typed = createReactive<{ readonly a: number }>();
  assert.equal(typed.messages, messages);
  assert.equal(typed.presence, presence);
});
