package io.sluice.gateway.drain;

import java.util.function.BooleanSupplier;

/**
 * Node to which a client is redirected. For any thread.
 *
 * @param url of the other node
 * @param admitsClients returns whether it still admits clients; called on event loops
 */
public record RedirectTarget(String url, BooleanSupplier admitsClients) {
  /** Returns whether the node still admits clients. */
  boolean isOpen() {
    return admitsClients.getAsBoolean();
  }
}
