package io.sluice.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.testkit.RawWebSocket;

/** Positions of clients, by the rules for client authors. Stateless. */
public final class ClientPositions {
  private ClientPositions() {}

  /**
   * Returns a client's position after these frames.
   *
   * @param message the last message, or null
   * @param caughtUp the last frame of this type, or null
   */
  public static ObjectNode position(JsonNode subscribed, JsonNode message, JsonNode caughtUp) {
    ObjectNode position = JsonNodeFactory.instance.objectNode();
    position.put("epoch", subscribed.get("epoch").asText());
    position.set("since", subscribed.get("time"));
    position.set("offset", (message == null ? subscribed : message).get("offset"));
    if (message != null) {
      position.putArray("ids").add(message.get("id"));
    }
    if (caughtUp != null) {
      position.set("time", caughtUp.get("time"));
    }
    return position;
  }

  /** Waits until a client is caught up to a time, and returns the frame. */
  static JsonNode caughtUpSince(RawWebSocket client, long timeMs) {
    while (true) {
      JsonNode caughtUp = client.await("caught-up");
      if (caughtUp.get("time").asLong() >= timeMs) {
        return caughtUp;
      }
    }
  }
}
