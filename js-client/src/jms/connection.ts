import type { Client } from "../index.js";
import { toJmsException } from "./error-codes.js";
import { JMSException, JMSIllegalStateException } from "./exceptions.js";

/** Client that contexts share; it is closed with the last one. */
export class Connection {
  readonly client: Client;
  /** Rejects when the client is closed. */
  readonly closed: Promise<never>;
  #contexts = 0;

  constructor(client: Client) {
    this.client = client;
    this.closed = new Promise((_, reject) => {
      client.on("state", (state) => {
        if (state.status !== "closed") return;
        const { error } = state;
        const closed = new JMSIllegalStateException("the connection is closed", "closed", error);
        reject(error ? toJmsException(error) : closed);
      });
    });
    this.closed.catch(() => undefined);
    // A connection belongs to one user.
    client.on("identity-changed", () => {
      client.close();
    });
  }

  /** Waits for a session, because some requests of the SDK fail without one. */
  ready(): Promise<void> {
    const { client } = this;
    if (client.state.status !== "connecting") return Promise.resolve();
    const opened = new Promise<void>((resolve) => {
      const removeListener = client.on("hello", () => {
        removeListener();
        resolve();
      });
    });
    return Promise.race([opened, this.closed]);
  }

  /** Adds a context; returns the function that removes it. */
  retain(report: (exception: JMSException) => void): () => void {
    this.#contexts++;
    const removeListener = this.client.on("error", (error) => {
      report(toJmsException(error));
    });
    return () => {
      removeListener();
      this.#contexts--;
      if (this.#contexts === 0) this.client.close();
    };
  }
}
