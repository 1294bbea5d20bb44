package io.sluice.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.testkit.RawWebSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * Positions of clients, by the rules for client authors, and subscriptions from them. Stateless.
 */
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

  /** Returns a new client that has requested a topic from a position. */
  static RawWebSocket resumed(TestNode node, String topic, JsonNode from) {
    RawWebSocket client = node.json();
    ObjectNode frame = JsonNodeFactory.instance.objectNode();
    frame.put("type", "subscribe").put("ref", 1).put("topic", topic).set("from", from);
    client.text(frame.toString());
    return client;
  }

  /** Reads frames up to one of them, and returns all but the states of sources. */
  static List<String> framesUpTo(String last, RawWebSocket client) {
    List<String> frames = new ArrayList<>();
    while (!frames.contains(last)) {
      JsonNode frame = client.readJson();
      frames.add((frame.get("type").asText() + " " + frame.path("payload").asText()).strip());
    }
    frames.removeAll(List.of("stale", "live", "caught-up"));
    return frames;
  }
}
