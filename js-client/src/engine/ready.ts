import type { ClientEmitter } from "./client-events.js";
import { SluiceError } from "./errors.js";
import type { ConnectionState } from "./state.js";

/** Client that can be waited for. */
interface StatefulClient extends Pick<ClientEmitter, "on"> {
  readonly state: ConnectionState;
}

/** Waits for a session of the client; rejects if the client is closed. */
export function ready(client: StatefulClient): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      const { state } = client;
      if (state.status === "connecting" || state.status === "paused") return;
      undo();
      if (state.status !== "closed") resolve();
      else reject(state.error ?? new SluiceError("closed", "the client is closed"));
    };
    const undo = client.on("state", settle);
    settle();
  });
}
