// Code examples of pages that snippets.mjs does not run: page, a part of the example, and the
// reason. Components (tsx, vue, svelte, html) never run there: the tests of the bindings and of the
// tutorials render them.
const COMPONENT = "only declares a component; the tests of the bindings render one";
const MEMORY = "runs without a node; test/testing.test.ts has the same steps";
const PAGE = "requires a page; tests in Chromium run it";
const PRINCIPAL = "requires a principal; integration/queues.test.mjs runs it with a credential";
const SERVER = "requires the application's server of tokens";

export const EXCEPTIONS = [
  ["docs/how-to/sdk.md", "sessionStorage", PAGE],
  ["docs/how-to/sdk.md", "persistPublishes", PAGE],
  ["docs/how-to/queues.md", "client.durable(", PRINCIPAL],
  ["docs/how-to/sdk-connection.md", 'fetch("/token")', SERVER],
  ["docs/how-to/sdk-connection.md", "connectShared", PAGE],
  ["docs/how-to/log-in.md", 'fetch("/token"', SERVER],
  ["docs/how-to/log-in.md", "fetchToken", SERVER],
  ["docs/how-to/bindings.md", "@sluice/client/angular", COMPONENT],
  ["docs/how-to/bindings.md", "@sluice/client/solid", COMPONENT],
  ["docs/how-to/bindings.md", "ag-grid-community", COMPONENT],
  ["docs/how-to/tracing.md", "WebTracerProvider", PAGE],
  ["docs/how-to/test-your-app.md", "createTestBroker", MEMORY],
];
