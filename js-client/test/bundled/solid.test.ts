import assert from "node:assert/strict";
import { test } from "node:test";
import "../dom-globals.js";
import { createComponent, createRoot, createSignal, type JSX } from "solid-js";
import { render } from "solid-js/web";
import {
  createConnection,
  createGap,
  createMessages,
  SluiceProvider,
  useSluice,
} from "../../src/solid.js";
import { copyOf, describeBinding, type Mount } from "../binding-contract.js";

const mount: Mount = (provided, initial, onRender) => {
  const [args, setArgs] = createSignal(initial);
  const Price = (): JSX.Element => {
    const prices = createMessages(
      () => args().topic,
      () => args().options,
    );
    const connection = createConnection();
    const latestGap = createGap();
    // A function is what the compiler makes of an expression in JSX.
    const text = (): string => {
      const view = copyOf(prices);
      onRender({ view, connection: connection(), latestGap: latestGap() });
      return String(view.payload);
    };
    return text as unknown as JSX.Element;
  };
  const props = "url" in provided ? provided : { client: provided };
  const Page = (): JSX.Element =>
    createComponent(SluiceProvider, {
      ...props,
      get children() {
        return createComponent(Price, {});
      },
    });
  const unmount = render(Page, document.body.appendChild(document.createElement("div")));
  return { update: setArgs, unmount };
};

describeBinding("solid", mount);

test("shouldNameTheMissingProvider", () => {
  assert.throws(() => createRoot(() => useSluice()), /useSluice requires a SluiceProvider/);
});
