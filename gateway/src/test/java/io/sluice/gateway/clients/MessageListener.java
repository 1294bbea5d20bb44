package io.sluice.gateway.clients;

import com.fasterxml.jackson.databind.JsonNode;

/** Hears of one subscription of a {@link SluiceClient}, one call at a time; calls return soon. */
public interface MessageListener {
  /** A message that is new, as it came: PROTOCOL.md, section 4, has the members. */
  void onMessage(JsonNode message);

  /**
   * Messages may be missing between the last one and the next. Behind {@code not-recovered} and
   * {@code snapshot-cut} the newest messages follow once more, and the application begins anew.
   */
  void onGap(String reason);

  /** The subscription stands, or stands again after a lost connection. */
  default void onSubscribed() {}

  /**
   * There is no subscription. With {@code closed} the node has sent the client away for good; after
   * any other code it asks again on its next connection.
   */
  default void onError(String code, String message) {}
}
