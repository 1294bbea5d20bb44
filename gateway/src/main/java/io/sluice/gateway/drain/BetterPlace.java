package io.sluice.gateway.drain;

import java.util.function.BooleanSupplier;

/**
 * Where a client is to go that may stay as well. For any thread.
 *
 * @param url of the other node
 * @param takesClients whether it still does; asked on event loops
 */
public record BetterPlace(String url, BooleanSupplier takesClients) {
  boolean isOpen() {
    return takesClients.getAsBoolean();
  }
}
