package io.sluice.gateway.mqtt;

import io.sluice.gateway.protocol.ClientFrame;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Session of MQTT 3.1.1 in durable subscriptions of the broker, which clients continue at any node.
 * Their names consist of the QoS, the part of the filter and a hash of the client identifier. Bound
 * to the client's event loop.
 */
final class DurableSession {
  /** Ref of its requests, below those of publishes. */
  static final long REF = 0;

  private static final Pattern NAME = Pattern.compile("mqtt([01])(p?)-([0-9a-f]{32})");
  private static final int HASH_BYTES = 16;
  private static final String UNKNOWN = "unknown-subscription";

  private final SessionPort port;
  private final Predicate<String> mayHold;
  private final String hash;

  /** Requests, one at a time: the first one is sent. */
  private final Queue<Request> requests = new ArrayDeque<>(2);

  private boolean busy;

  /**
   * Request to the session.
   *
   * @param frame null for a task that waits for the requests before it
   */
  private record Request(ClientFrame frame, Consumer<JsonObject> answer) {}

  /**
   * @param mayHold whether the client may have durable subscriptions of a pattern
   */
  DurableSession(SessionPort port, String clientId, Predicate<String> mayHold) {
    this.port = port;
    this.mayHold = mayHold;
    this.hash = hash(clientId);
  }

  private static String hash(String clientId) {
    try {
      byte[] id = clientId.getBytes(StandardCharsets.UTF_8);
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(id);
      return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each Java platform has SHA-256", e);
    }
  }

  boolean mayHold(String pattern) {
    return mayHold.test(pattern);
  }

  /** Returns the name of the durable subscription for a pattern of a filter. */
  String name(MqttPacket.Filter filter, String pattern) {
    boolean isParent = filter.filter().endsWith("/#") && !pattern.endsWith(">");
    return "mqtt" + filter.qos() + (isParent ? "p-" : "-") + hash;
  }

  /** Requests the durable subscriptions of the user. */
  void list(Consumer<JsonObject> answer) {
    request(new ClientFrame.ListDurables(REF), answer);
  }

  /** Deletes a durable subscription without consumer; the connection ends if that fails. */
  void delete(String pattern, String name) {
    request(
        new ClientFrame.DeleteDurable(REF, pattern, name),
        answer -> {
          String code = answer.getString("code");
          if (code != null && !code.equals(UNKNOWN)) {
            String why = "subscription was not deleted: " + answer.getString("message");
            port.end(MqttReason.ofError(code, false), why);
          }
        });
  }

  /** Deletes what a list contains of this session. */
  void deleteAll(JsonObject listed) {
    for (int i = 0; i < listed.getJsonArray("subscriptions").size(); i++) {
      JsonObject each = listed.getJsonArray("subscriptions").getJsonObject(i);
      if (matcher(each) != null) {
        delete(each.getString("topic"), each.getString("durable"));
      }
    }
  }

  /** Runs a task when all requests before it are answered. */
  void afterRequests(Runnable task) {
    request(null, none -> task.run());
  }

  private void request(ClientFrame frame, Consumer<JsonObject> answer) {
    requests.add(new Request(frame, answer));
    if (!busy) {
      sendNext();
    }
  }

  private void sendNext() {
    busy = true;
    while (!requests.isEmpty()) {
      if (requests.peek().frame() != null) {
        port.give(requests.peek().frame());
        return;
      }
      requests.poll().answer().accept(null);
    }
    busy = false;
  }

  /** Processes an answer of the session: {@code listed}, {@code deleted} or {@code error}. */
  void onAnswer(JsonObject answer) {
    port.later(
        () -> {
          requests.poll().answer().accept(answer);
          sendNext();
        });
  }

  /** Returns the filters in a list, of which the parent level is optional. */
  List<StoredFilter> filters(JsonObject listed) {
    Map<String, StoredFilter> filters = new LinkedHashMap<>();
    for (int parents = 0; parents <= 1; parents++) { // they are added to their filter
      for (int i = 0; i < listed.getJsonArray("subscriptions").size(); i++) {
        JsonObject each = listed.getJsonArray("subscriptions").getJsonObject(i);
        Matcher name = matcher(each);
        if (name != null && name.group(2).length() == parents) {
          add(each.getString("topic"), Integer.parseInt(name.group(1)), parents > 0, filters);
        }
      }
    }
    return List.copyOf(filters.values());
  }

  private static void add(
      String pattern, int qos, boolean isParent, Map<String, StoredFilter> filters) {
    String filter = MqttTopics.filter(pattern) + (isParent ? "/#" : "");
    StoredFilter.Part part = StoredFilter.Part.live(pattern);
    if (!isParent) {
      MqttPacket.Filter stored = new MqttPacket.Filter(filter, qos, false, false, 0, 0);
      filters.put(filter, new StoredFilter(stored, List.of(part)));
    } else if (filters.containsKey(filter)) {
      StoredFilter first = filters.get(filter);
      filters.put(filter, new StoredFilter(first.filter(), List.of(first.parts().get(0), part)));
    }
  }

  /**
   * Returns the groups of the name of a durable subscription, or null if it is not one of these.
   */
  private Matcher matcher(JsonObject durable) {
    Matcher name = NAME.matcher(durable.getString("durable"));
    return name.matches() && name.group(3).equals(hash) ? name : null;
  }
}
