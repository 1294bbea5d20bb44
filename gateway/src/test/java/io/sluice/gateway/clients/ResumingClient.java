package io.sluice.gateway.clients;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gateway.TestNode;
import io.sluice.testkit.RawWebSocket;
import java.time.Duration;

/**
 * Client of one topic with the continuity of sluice-client, connected to one node at a time. One
 * thread enters and reads; any thread may cut and close.
 */
public final class ResumingClient implements AutoCloseable {
  /** Number of ids of a position. */
  public static final int ALL_IDS = 16;

  private static final Duration TIMEOUT = Duration.ofMinutes(3);

  private final String topic;
  private final Continuity continuity;
  private volatile RawWebSocket socket;

  /** Creates a client that is not connected. */
  public ResumingClient(String topic, MessageListener listener) {
    this.topic = topic;
    this.continuity = new Continuity(null, listener);
  }

  /**
   * Connects to a node, subscribes with the position, and closes the connection to the previous
   * node without reading its remaining frames.
   *
   * @param ids maximum number of ids in the position
   * @return the node's {@code subscribed}
   */
  public JsonNode enter(TestNode node, int ids) {
    RawWebSocket old = socket;
    RawWebSocket entered = node.request().timeout(TIMEOUT).open();
    entered.text("{\"type\":\"connect\"}");
    int overlap = entered.await("hello").at("/limits/overlap").asInt();
    ObjectNode subscribe = JsonNodeFactory.instance.objectNode();
    subscribe.put("type", "subscribe").put("ref", 1).put("topic", topic);
    JsonNode from = continuity.onSubscribe();
    if (from != null) {
      while (from.path("ids").size() > ids) {
        ((ArrayNode) from.get("ids")).remove(0);
      }
      subscribe.set("from", from);
    }
    entered.text(subscribe.toString());
    JsonNode answer = entered.await("subscribed");
    continuity.onSubscribed(answer, overlap);
    socket = entered;
    if (old != null) {
      old.close();
    }
    return answer;
  }

  /** Returns the position; null while there is nothing to resume. */
  public JsonNode position() {
    return continuity.position();
  }

  /** Reads and handles the next frame. */
  public JsonNode read() {
    JsonNode frame = socket.readJson();
    switch (frame.get("type").asText()) {
      case "message" -> continuity.onMessage(frame);
      case "gap" -> continuity.onGap(frame);
      case "caught-up" -> continuity.onCaughtUp(frame.get("time").asLong());
      case "draining", "stale", "live", "pong" -> {
        // no effect on the position
      }
      default -> throw new AssertionError("unexpected: " + frame);
    }
    return frame;
  }

  /** Cuts the connection. */
  public void cut() {
    socket.reset();
  }

  /** Closes the connection, if there is one. */
  @Override
  public void close() {
    if (socket != null) {
      socket.close();
    }
  }
}
