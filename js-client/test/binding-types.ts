// Types of the bindings, which the compiler checks. The functions are not called.
import { signal } from "@angular/core";
import type { Observable } from "rxjs";
import { ref } from "vue";
import { z } from "zod";
import {
  createInjectFunctions,
  injectMessages,
  provideSluice as provideAngular,
} from "../src/angular.js";
import {
  connect,
  type Client,
  type ConnectOptions,
  type Message,
  type TypedMessage,
} from "../src/index.js";
import type { MessageView } from "../src/bindings/message-view.js";
import { createElement as h } from "react";
import { createHooks, SluiceProvider, useMessages as useReactMessages } from "../src/react.js";
import { connectShared } from "../src/shared.js";
import { createObservables, messages$, views$ } from "../src/rxjs.js";
import { createComponent } from "solid-js";
import { createMessages, createPrimitives, SluiceProvider as SolidProvider } from "../src/solid.js";
import { createReactive, messages, setSluice } from "../src/svelte.js";
import { createComposables, provideSluice, useMessages } from "../src/vue.js";

interface Stock {
  readonly symbol: string;
  readonly price: number;
}
interface Topics {
  "stocks.>": Stock;
  "stocks.index": { readonly level: number };
  chat: "hello" | "bye";
}
type Equal<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;

/** Compiles only if the value has exactly this type. */
declare function exactly<Expected>(): <Actual>(
  value: Actual,
  ...same: Equal<Expected, Actual> extends true ? [] : [never]
) => number;

const byLength = (message: Message<"text">): number => message.payload.length;
const json = { payload: "json" } as const;
const text = { payload: "text" } as const;
const stock = z.object({ symbol: z.string(), price: z.number() });

export function vueTypes(id: string): unknown[] {
  const texts = useMessages(() => "chat", { payload: "text", keep: 3, by: byLength });
  exactly<string | undefined>()(texts.payload.value);
  exactly<readonly Message<"text">[]>()(texts.messages.value);
  exactly<number | undefined>()(useMessages("a", { schema: stock }).payload.value?.price);
  exactly<Stock | undefined>()(useMessages<Stock>(ref("a"), json).payload.value);
  const any = useMessages("chat");
  // @ts-expect-error Without `payload` the kind is not known.
  any.payload.value satisfies string | undefined;
  // @ts-expect-error There is no such kind.
  useMessages("chat", { payload: "xml" });
  // @ts-expect-error The key function expects texts.
  useMessages("chat", { payload: "bytes", by: byLength });
  // @ts-expect-error Without `payload` the message is not converted to a Stock.
  useMessages<Stock>("a");
  const typed = createComposables<Topics>();
  exactly<Stock | undefined>()(typed.useMessages(`stocks.${id}`, json).payload.value);
  exactly<Stock | undefined>()(typed.useMessages(() => `stocks.${id}`, json).payload.value);
  const index = typed.useMessages("stocks.index", { ...json, by: (m) => m.payload.level });
  exactly<number | undefined>()(index.payload.value?.level);
  void typed.useSluice().publish("chat", "bye");
  // @ts-expect-error There is no such text.
  void typed.useSluice().publish("chat", "hi");
  const bytes = useMessages("chat", () => ({ payload: "bytes" }) as const);
  return [any, exactly<Uint8Array | undefined>()(bytes.payload.value)];
}

export function svelteTypes(id: string): unknown[] {
  const texts = messages("chat", { payload: "text", by: ({ payload }) => payload.length });
  exactly<MessageView<Message<"text">>>()(texts.current);
  exactly<number | undefined>()(messages("a", { schema: stock }).current.payload?.price);
  exactly<Stock | undefined>()(messages<Stock>("a", json).current.payload);
  const typed = createReactive<Topics>();
  exactly<Stock | undefined>()(typed.messages(() => `stocks.${id}`, json).current.payload);
  exactly<"hello" | "bye" | undefined>()(typed.messages("chat", text).current.payload);
  const bytes = messages("chat", () => ({ payload: "bytes" }) as const);
  return [exactly<Uint8Array | undefined>()(bytes.current.payload)];
}

export function rxjsTypes(client: Client, id: string): unknown[] {
  exactly<Observable<Message<"text">>>()(messages$(client, "chat", { payload: "text" }));
  exactly<Observable<Message>>()(messages$(client, "chat"));
  exactly<Observable<TypedMessage<Stock>>>()(messages$<Stock>(client, "a", json));
  messages$(client, "a", { schema: stock }).subscribe((m) => exactly<number>()(m.payload.price));
  // @ts-expect-error An observable of messages has no window.
  messages$(client, "chat", { keep: 3 });
  const typed = connect<Topics>("ws://localhost/ws");
  messages$(typed, `stocks.${id}`, json).subscribe((m) => exactly<Stock>()(m.payload));
  views$(typed, "stocks.index", { ...json, by: ({ payload }) => payload.level }).subscribe((view) =>
    exactly<number | undefined>()(view.payload?.level),
  );
  const schemas = connect("ws://localhost/ws", { schemas: { "stocks.>": stock } });
  messages$(schemas, "stocks.7").subscribe((m) => exactly<number>()(m.payload.price));
  createObservables(typed)
    .messages$("chat", text)
    .subscribe(({ payload }) => exactly<"hello" | "bye">()(payload));
  const plain = createObservables(client).views$("chat", { payload: "bytes" });
  return [exactly<Observable<MessageView<Message<"bytes">>>>()(plain)];
}

export function angularTypes(id: string): unknown[] {
  const texts = injectMessages(() => "chat", { payload: "text", by: byLength });
  exactly<string | undefined>()(texts.payload());
  exactly<number | undefined>()(injectMessages("a", { schema: stock }).payload()?.price);
  exactly<Stock | undefined>()(injectMessages<Stock>(signal("a"), json).payload());
  // @ts-expect-error `keep` is a number.
  injectMessages("chat", { keep: "3" });
  const typed = createInjectFunctions<Topics>();
  exactly<Stock | undefined>()(typed.injectMessages(() => `stocks.${id}`, json).payload());
  exactly<"hello" | "bye" | undefined>()(typed.injectMessages("chat", text).payload());
  void typed.injectSluice().publish("chat", "bye");
  return [exactly<Message<"text"> | undefined>()(texts.message())];
}

export function solidTypes(id: string): unknown[] {
  const texts = createMessages(() => "chat", { payload: "text", keep: 3 });
  exactly<string | undefined>()(texts.payload);
  exactly<number | undefined>()(createMessages("a", { schema: stock }).payload?.price);
  exactly<Stock | undefined>()(createMessages<Stock>("a", json).payload);
  const typed = createPrimitives<Topics>();
  exactly<Stock | undefined>()(typed.createMessages(() => `stocks.${id}`, json).payload);
  exactly<"hello" | "bye" | undefined>()(typed.createMessages("chat", text).payload);
  void typed.useSluice().publish("chat", "bye");
  return [exactly<MessageView<Message<"text">>>()(texts)];
}

export function Hooks(): null {
  // `keep` has the default of the other bindings, and so has the result.
  exactly<Message | undefined>()(useReactMessages("chat").message);
  exactly<Stock | undefined>()(createHooks<Topics>().useMessages("stocks.7", json).payload);
  exactly<Stock | undefined>()(createHooks<Topics>().useTopic<Stock>("other", json).payload);
  return null;
}

/** Providers require the user of a function, and of options that may contain one. */
export function identityTypes(url: string, user: string, options: ConnectOptions): unknown[] {
  const token = (): string => "s3cret";
  return [
    h(SluiceProvider, { url }),
    h(SluiceProvider, { url, options: { token: "s3cret" } }),
    h(SluiceProvider, { url, identity: user, options: { token } }),
    h(SluiceProvider, { url, identity: user, options }),
    // @ts-expect-error The user is missing.
    h(SluiceProvider, { url, options: { token } }),
    // @ts-expect-error The options may have a function.
    h(SluiceProvider, { url, options }),
    provideSluice(url, { token: "s3cret" }),
    provideSluice(url, { token, identity: ref(user) }),
    // @ts-expect-error The user is missing.
    provideSluice(url, { token }),
    setSluice(url, { token, identity: () => user }),
    // @ts-expect-error The user is missing.
    setSluice(url, { token }),
    provideAngular(url, { token, identity: signal(user) }),
    provideAngular(url, () => ({ token, identity: user })),
    // @ts-expect-error The user is missing.
    provideAngular(url, { token }),
    // @ts-expect-error The user is missing.
    provideAngular(url, () => ({ token })),
    createComponent(SolidProvider, { url, identity: user, options: { token } }),
    // @ts-expect-error The user is missing.
    createComponent(SolidProvider, { url, options: { token } }),
    connectShared("/worker.js", url, { token: "s3cret" }),
    connectShared("/worker.js", url, { token, identity: user }),
    // @ts-expect-error The user is missing.
    connectShared("/worker.js", url, { token }),
    connect(url, { token }),
  ];
}
