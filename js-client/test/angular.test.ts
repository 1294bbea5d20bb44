import assert from "node:assert/strict";
import { describe, test } from "node:test";
import "./dom-globals.js";
import "@angular/compiler";
import {
  ApplicationRef,
  Component,
  createEnvironmentInjector,
  enableProdMode,
  PLATFORM_ID,
  inject,
  InjectionToken,
  Injector,
  provideZonelessChangeDetection,
  runInInjectionContext,
  signal,
} from "@angular/core";
import { createApplication } from "@angular/platform-browser";
import { WebSocket } from "ws";
import {
  createInjectFunctions,
  injectConnection,
  injectGap,
  injectMessages,
  injectPresence,
  injectSluice,
  provideSluice,
  type FixedOptions,
} from "../src/angular.js";
import { describeBinding, identityOf, type Mount, type Provided } from "./binding-contract.js";

// In development mode Angular renders each change twice.
enableProdMode();

function providersOf(provided: Provided, identity: () => string): ReturnType<typeof provideSluice> {
  return "url" in provided
    ? provideSluice(provided.url, { ...provided.options, identity })
    : provideSluice(provided);
}

const mount: Mount = async (provided, initial, onRender) => {
  const args = signal(initial);
  class Price {
    readonly view = injectMessages(
      () => args().topic,
      () => args().options,
    );
    readonly connection = injectConnection();
    readonly latestGap = injectGap();
    readonly presence = injectPresence(
      () => args().room,
      () => args().presenceOptions ?? {},
    );

    /** Called by the template at each change detection. */
    render(): string {
      const { messages, message, payload, state, gap, error } = this.view;
      const view = {
        messages: messages(),
        message: message(),
        payload: payload(),
        state: state(),
        gap: gap(),
        error: error(),
      };
      const { count, members, partial, live, self, error: presenceError } = this.presence;
      onRender({
        view,
        connection: this.connection(),
        latestGap: this.latestGap(),
        dismiss: this.latestGap.dismiss,
        presence: {
          count: count(),
          members: members(),
          partial: partial(),
          live: live(),
          self: self(),
          error: presenceError(),
        },
      });
      return String(view.payload);
    }
  }
  const Root = Component({ selector: "app-price", template: "{{ render() }}" })(Price);
  const application = await createApplication({
    providers: [provideZonelessChangeDetection(), providersOf(provided, () => identityOf(args()))],
  });
  application.bootstrap(Root, document.body.appendChild(document.createElement("app-price")));
  return {
    update: (next) => {
      args.set(next);
    },
    unmount: () => {
      application.destroy();
    },
  };
};

describeBinding("angular", mount);

describe("angular injector", () => {
  const TOKEN = new InjectionToken("token", { factory: () => "secret" });
  const refuse = (): never => assert.fail("a server must not connect");

  test("shouldCallTheFunctionOfOptionsInAnInjectionContext", async () => {
    const tokens: string[] = [];
    const options = (): FixedOptions => {
      tokens.push(inject(TOKEN));
      return { WebSocket };
    };
    const application = await createApplication({
      providers: [provideSluice("ws://127.0.0.1:1/ws", options)],
    });
    const client = runInInjectionContext(application.injector.get(Injector), injectSluice);
    assert.deepEqual(tokens, ["secret"]);
    assert.equal(client.state.status, "connecting");
    application.destroy();
  });

  test("shouldNotConnectOnAServer", async () => {
    const application = await createApplication();
    const providers = [
      { provide: PLATFORM_ID, useValue: "server" },
      provideSluice("ws://127.0.0.1:1/ws", { WebSocket: refuse as never }),
    ];
    const injector = createEnvironmentInjector(providers, application.injector);
    runInInjectionContext(injector.get(Injector), () => {
      const { state, messages } = injectMessages("chat", { keep: 3 });
      const connection = injectConnection();
      const gap = injectGap();
      const { count } = injectPresence("room.1");
      inject(ApplicationRef).tick();
      assert.equal(state().status, "pending");
      assert.deepEqual(messages(), []);
      assert.equal(connection().status, "connecting");
      assert.equal(gap(), undefined);
      assert.equal(count(), 0);
    });
    application.destroy();
  });

  test("shouldReturnTheSameFunctionsWithTheTypesOfATopicMap", () => {
    const functions = createInjectFunctions<{ readonly a: number }>();
    assert.equal(functions.injectMessages, injectMessages);
    assert.equal(functions.injectPresence, injectPresence);
  });
});
