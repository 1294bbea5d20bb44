package io.sluice.client;

import io.sluice.client.internal.BadFrameException;
import io.sluice.client.internal.Frame;
import io.sluice.client.internal.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Position of a subscription. An application can store {@link #toJson} together with the effects of
 * the messages up to it, and subscribe from it later.
 *
 * @param epoch identifier of the node's log
 * @param offset offset of the latest message
 * @param ids identities of the latest messages, newest last; of a source with offsets, the highest
 *     of each partition
 * @param since start of the unbroken stream, in milliseconds since 1970; null if unknown
 * @param time latest proof of delivery, in milliseconds since 1970; null if there is none
 */
public record Position(String epoch, long offset, List<String> ids, Long since, Long time) {
  private static final int MAX_IDS = 1_024;

  /** Copies the identities. */
  public Position {
    ids = Collections.unmodifiableList(new ArrayList<>(ids));
    if (ids.size() > MAX_IDS) {
      throw new IllegalArgumentException("ids must be at most " + MAX_IDS + ", not " + ids.size());
    }
  }

  /**
   * Parses a stored position.
   *
   * @throws IllegalArgumentException if it is not the result of {@link #toJson}
   */
  public static Position parse(String json) {
    try {
      return of((Map<?, ?>) Json.parse(json));
    } catch (BadFrameException | ClassCastException e) {
      throw new IllegalArgumentException("position must be the JSON of a position: " + json, e);
    }
  }

  static Position of(Map<?, ?> members) {
    Map<String, Object> frame = new LinkedHashMap<>();
    frame.put("type", "position");
    members.forEach((name, value) -> frame.put((String) name, value));
    Frame position = Frame.of(frame);
    List<String> ids = new ArrayList<>();
    if (position.has("ids")) {
      ((List<?>) position.get("ids")).forEach(id -> ids.add((String) id));
    }
    return new Position(
        position.text("epoch"),
        position.number("offset"),
        ids,
        position.optionalNumber("since"),
        position.optionalNumber("time"));
  }

  /** Returns the members of the protocol as JSON. */
  public String toJson() {
    return Json.write(members());
  }

  Map<String, Object> members() {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("epoch", epoch);
    members.put("offset", offset);
    if (!ids.isEmpty()) {
      members.put("ids", ids);
    }
    if (since != null) {
      members.put("since", since);
    }
    if (time != null) {
      members.put("time", time);
    }
    return members;
  }
}
