// Imports of the core would split it: its functions are parameters.
import type { Client } from "./client-type.js";
import type { Settings } from "./options.js";
import { watchPageLifecycle } from "./page-lifecycle.js";
import type { ConnectionState } from "./state.js";

// Bounds of the wait after a change of the network or the page.
const WAKE = { failures: 1, min: 2_000, max: 2_000 };

/**
 * Watches the network and the page until the client is closed, and explains failures. It starts
 * after the first session or failure.
 *
 * @param onChange - Checks the connection after a change of the network or the page.
 * @param onCause - Emits the event `error`.
 */
export function watchClient(
  client: Client,
  settings: Settings,
  onChange: () => void,
  onCause: (code: string, message: string) => void,
): void {
  const stop = watchPageLifecycle(() => {
    onChange();
    const { state } = client;
    const retry = (): void => {
      if (client.state === state) client.retryNow();
    };
    // Not at once: the network of many clients may be back at the same time.
    settings.clock.setTimeout(retry, settings.backoff(WAKE.failures, WAKE));
  });
  let isExplaining = false;
  const onState = ({ status }: ConnectionState): void => {
    if (status === "closed") stop();
    // Nothing has failed while the preferred transport is in use, or by a pause.
    if (isExplaining || status === "paused" || client.transport === settings.transports[0]) return;
    isExplaining = true;
    import("./explain.js").then(
      ({ explain }) => {
        explain(client, settings, onCause);
      },
      () => {
        isExplaining = false;
      },
    );
  };
  onState(client.state);
  client.on("state", onState);
}
