import assert from "node:assert/strict";
import { test } from "node:test";
import "../dom-globals.js";
import { createComponent, createRoot, createSignal, mergeProps, type JSX } from "solid-js";
import { render } from "solid-js/web";
import {
  createConnection,
  createGap,
  createMessages,
  createPresence,
  createPrimitives,
  SluiceProvider,
  useSluice,
} from "../../src/solid.js";
import {
  copyOf,
  copyOfPresence,
  describeBinding,
  identityOf,
  type Mount,
} from "../binding-contract.js";

const mount: Mount = (provided, initial, onRender) => {
  const [args, setArgs] = createSignal(initial);
  const Price = (): JSX.Element => {
    const prices = createMessages(
      () => args().topic,
      () => args().options,
    );
    const connection = createConnection();
    const latestGap = createGap();
    const presence = createPresence(
      () => args().room,
      () => args().presenceOptions ?? {},
    );
    // A function is what the compiler makes of an expression in JSX.
    const text = (): string => {
      const view = copyOf(prices);
      onRender({
        view,
        connection: connection(),
        latestGap: latestGap(),
        dismiss: latestGap.dismiss,
        presence: copyOfPresence(presence),
      });
      return String(view.payload);
    };
    return text as unknown as JSX.Element;
  };
  const children = {
    get children() {
      return createComponent(Price, {});
    },
  };
  const user = {
    get identity() {
      return identityOf(args());
    },
  };
  const props = "url" in provided ? mergeProps(provided, user) : { client: provided };
  const Page = (): JSX.Element => createComponent(SluiceProvider, mergeProps(props, children));
  const unmount = render(Page, document.body.appendChild(document.createElement("div")));
  return { update: setArgs, unmount };
};

describeBinding("solid", mount);

test("shouldNameTheMissingProvider", () => {
  assert.throws(() => createRoot(() => useSluice()), /useSluice requires a SluiceProvider/);
});

test("shouldReturnTheSamePrimitivesWithTheTypesOfATopicMap", () => {
  const primitives = createPrimitives<{ readonly a: number }>();
  assert.equal(primitives.createMessages, createMessages);
  assert.equal(primitives.createPresence, createPresence);
});
