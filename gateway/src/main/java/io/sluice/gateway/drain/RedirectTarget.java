package io.sluice.gateway.drain;

import java.util.function.BooleanSupplier;

/**
 * Node to which a client is redirected. For any thread.
 *
 * @param url of the other node
 * @param takesClients whether it still admits clients; called on event loops
 */
public record RedirectTarget(String url, BooleanSupplier takesClients) {
  boolean isOpen() {
    return takesClients.getAsBoolean();
  }
}
