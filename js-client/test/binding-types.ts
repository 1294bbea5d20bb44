// Types of the bindings, which the compiler checks. The functions are not called.
import type { Observable } from "rxjs";
import { injectMessages } from "../src/angular.js";
import type { Client, Message } from "../src/index.js";
import type { MessageView } from "../src/message-view.js";
import { messages$, views$ } from "../src/rxjs.js";
import { createMessages } from "../src/solid.js";
import { messages } from "../src/svelte.js";
import { useMessages } from "../src/vue.js";

const byLength = (message: Message<"text">): number => message.payload.length;

export function vueTypes(): unknown[] {
  const text = useMessages(() => "chat", { payload: "text", keep: 3, by: byLength });
  text.payload.value satisfies string | undefined;
  text.messages.value satisfies readonly Message<"text">[];
  const any = useMessages("chat");
  // @ts-expect-error Without `payload` the kind is not known.
  any.payload.value satisfies string | undefined;
  // @ts-expect-error There is no such kind.
  useMessages("chat", { payload: "xml" });
  // @ts-expect-error The key function expects texts.
  useMessages("chat", { payload: "bytes", by: byLength });
  return [any, useMessages("chat", () => ({ payload: "bytes" }) as const)];
}

export function svelteTypes(): unknown[] {
  const text = messages("chat", { payload: "text", by: ({ payload }) => payload.length });
  text.current satisfies MessageView<"text">;
  text.current.payload satisfies string | undefined;
  const bytes = messages("chat", () => ({ payload: "bytes" }) as const);
  return [bytes.current.payload satisfies Uint8Array | undefined];
}

export function rxjsTypes(client: Client): unknown[] {
  messages$(client, "chat", { payload: "text" }) satisfies Observable<Message<"text">>;
  messages$(client, "chat") satisfies Observable<Message>;
  // @ts-expect-error An observable of messages has no window.
  messages$(client, "chat", { keep: 3 });
  return [views$(client, "chat", { payload: "bytes" }) satisfies Observable<MessageView<"bytes">>];
}

export function angularTypes(): unknown[] {
  const text = injectMessages(() => "chat", { payload: "text", by: byLength });
  text.payload() satisfies string | undefined;
  // @ts-expect-error `keep` is a number.
  injectMessages("chat", { keep: "3" });
  return [text.message() satisfies Message<"text"> | undefined];
}

export function solidTypes(): unknown[] {
  const text = createMessages(() => "chat", { payload: "text", keep: 3 });
  text.payload satisfies string | undefined;
  return [text satisfies MessageView<"text">];
}
