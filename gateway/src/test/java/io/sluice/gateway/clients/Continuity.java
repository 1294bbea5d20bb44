package io.sluice.gateway.clients;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.client.internal.Frame;
import io.sluice.client.internal.Json;
import java.io.UncheckedIOException;
import java.util.Map;

/** Continuity of sluice-client for test clients that have their own connections. */
public final class Continuity {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final io.sluice.client.internal.Continuity continuity;
  private final MessageListener listener;

  /**
   * @param from {@code "now"}, {@code "snapshot"}, {@code {"last":20}} or a position; null is now
   */
  public Continuity(JsonNode from, MessageListener listener) {
    Object start = from == null ? null : Json.parse(from.toString());
    this.continuity = new io.sluice.client.internal.Continuity(start);
    this.listener = listener;
  }

  /** Returns the position to be stored; null while there is nothing to resume. */
  public JsonNode position() {
    return node(continuity.position());
  }

  /** Handles a new connection. Returns the value of {@code from}, or null to omit it. */
  public JsonNode onSubscribe() {
    return node(continuity.onSubscribe());
  }

  /** Handles the reply {@code subscribed}; its node requires {@code overlap} remembered ids. */
  public void onSubscribed(JsonNode answer, int overlap) {
    String gap = continuity.onSubscribed(Frame.parse(answer.toString()), overlap);
    if (gap != null) {
      listener.onGap(gap);
    }
  }

  /** Handles a message; passes it to the application unless it is a duplicate. */
  public void onMessage(JsonNode message) {
    Frame frame =
        Frame.of(
            Map.of(
                "type", "message",
                "id", message.get("id").asText(),
                "offset", message.get("offset").asLong()));
    if (continuity.onMessage(frame)) {
      listener.onMessage(message);
    }
  }

  /** Handles a gap, which also ends a pending replay. */
  public void onGap(JsonNode gap) {
    listener.onGap(continuity.onGap(Frame.parse(gap.toString())));
  }

  /** Handles a caught-up, which does not apply to unconfirmed subscriptions. */
  public void onCaughtUp(long time) {
    continuity.onCaughtUp(time);
  }

  public boolean isAnswered() {
    return continuity.isAnswered();
  }

  private static JsonNode node(Object value) {
    try {
      return value == null ? null : JSON.readTree(Json.write(value));
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }
}
