package io.sluice.client;

import static io.sluice.client.SubscribeOptions.check;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Options of a message to publish. Immutable: each method returns a copy with one more option.
 *
 * <pre>{@code PublishOptions.DEFAULT.priority(7).property("region", "EU")}</pre>
 */
public final class PublishOptions {
  /** No options. */
  public static final PublishOptions DEFAULT = new PublishOptions(Collections.emptyMap());

  private static final int MAX_ID = 128;
  private static final int MAX_TEXT = 255;
  private static final int MAX_PRIORITY = 9;

  private final Map<String, Object> members;

  private PublishOptions(Map<String, Object> members) {
    this.members = members;
  }

  /**
   * Sets the identifier of this publish, 1 to 128 characters. The broker stores messages with equal
   * identifier, destination and user once. The client therefore sends an unanswered publish again
   * after a reconnect.
   */
  public PublishOptions id(String id) {
    return withText("id", id, 1, MAX_ID);
  }

  /** Adds a JMS property: a {@code String}, {@code Boolean} or {@code Number}. */
  public PublishOptions property(String name, Object value) {
    check(
        value instanceof String || value instanceof Boolean || value instanceof Number,
        "property " + name + " must be a String, Boolean or Number");
    Map<String, Object> properties = new LinkedHashMap<>();
    Object current = members.get("properties");
    if (current != null) {
      ((Map<?, ?>) current).forEach((key, kept) -> properties.put((String) key, kept));
    }
    properties.put(name, value);
    return with("properties", properties);
  }

  /** Sets the priority, 0 to 9. */
  public PublishOptions priority(int priority) {
    check(priority >= 0 && priority <= MAX_PRIORITY, "priority must be 0 to 9, not " + priority);
    return with("priority", (long) priority);
  }

  /** Sets the time to live. */
  public PublishOptions ttl(Duration ttl) {
    return with("ttl", millis("ttl", ttl));
  }

  /** Sets the delivery delay. */
  public PublishOptions delay(Duration delay) {
    return with("delay", millis("delay", delay));
  }

  /** Sets the delivery mode. */
  public PublishOptions persistent(boolean persistent) {
    return with("persistent", persistent);
  }

  /** Sets JMSType, at most 255 characters. */
  public PublishOptions messageType(String type) {
    return withText("messageType", type, 0, MAX_TEXT);
  }

  /** Sets JMSCorrelationID, at most 255 characters. */
  public PublishOptions correlationId(String id) {
    return withText("correlationId", id, 0, MAX_TEXT);
  }

  /** Sets JMSXGroupID, 1 to 255 characters. */
  public PublishOptions group(String group) {
    return withText("group", group, 1, MAX_TEXT);
  }

  /** Sets JMSReplyTo. */
  public PublishOptions replyTo(Destination destination) {
    return with("replyTo", destination.member());
  }

  private PublishOptions withText(String name, String value, int min, int max) {
    int length = value.length();
    check(
        length >= min && length <= max,
        name + " must have " + min + " to " + max + " characters, not " + length);
    return with(name, value);
  }

  private PublishOptions with(String name, Object value) {
    Map<String, Object> copy = new LinkedHashMap<>(members);
    copy.put(name, value);
    return new PublishOptions(copy);
  }

  static long millis(String name, Duration duration) {
    long millis = duration.toMillis();
    check(millis >= 1, name + " must be at least 1 ms, not " + duration);
    return millis;
  }

  /**
   * Returns the members of a frame.
   *
   * @param unavailable options that the frame does not have
   */
  Map<String, Object> members(String... unavailable) {
    for (String name : unavailable) {
      check(!members.containsKey(name), "option " + name + " is not available here");
    }
    return members;
  }

  boolean isRepeatable() {
    return members.containsKey("id");
  }
}
