// Imports of the core would split it: its functions are parameters.
import type { Client } from "./client-type.js";
import type { Settings } from "./options.js";
import { watchPageLifecycle } from "./page-lifecycle.js";
import type { ConnectionState } from "./state.js";

/**
 * Watches the network and the page until the client is closed, and explains failures. It starts
 * after the first session or failure.
 *
 * @param onChange - Checks the connection after a change of the network or the page.
 * @param onWrongPath - Emits the event `error`.
 */
export function watchClient(
  client: Client,
  settings: Settings,
  onChange: () => void,
  onWrongPath: (message: string) => void,
): void {
  const stop = watchPageLifecycle(onChange);
  let isExplaining = false;
  const onState = ({ status }: ConnectionState): void => {
    if (status === "closed") stop();
    // Nothing has failed while the preferred transport is in use.
    if (isExplaining || client.transport === settings.transports[0]) return;
    isExplaining = true;
    import("./explain.js").then(
      ({ explain }) => {
        explain(client, settings, onWrongPath);
      },
      () => {
        isExplaining = false;
      },
    );
  };
  onState(client.state);
  client.on("state", onState);
}
