package io.sluice.gateway.clients;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Listener of one subscription of a {@link SluiceClient}. Called by one thread at a time; must
 * return soon.
 */
public interface MessageListener {
  /** Called for each new message, as received: PROTOCOL.md, section 4, describes the members. */
  void onMessage(JsonNode message);

  /**
   * Called if messages may be missing between the last one and the next. After {@code
   * not-recovered} and {@code snapshot-cut} the newest messages are repeated, and the application
   * starts again.
   */
  void onGap(String reason);

  /** Called when the subscription is active, and again after a lost connection. */
  default void onSubscribed() {}

  /**
   * Called if the subscription failed. {@code closed}: the node has closed the client for good.
   * After any other code the client subscribes again on its next connection.
   */
  default void onError(String code, String message) {}
}
