package io.sluice.client;

import io.sluice.client.internal.Continuity;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Options of a subscription. Immutable: each method returns a copy with one more option.
 *
 * <pre>{@code SubscribeOptions.DEFAULT.fromSnapshot().rate(5)}</pre>
 */
public final class SubscribeOptions {
  /** Every message that is published from now on. */
  public static final SubscribeOptions DEFAULT = new SubscribeOptions(Collections.emptyMap());

  private static final int MAX_LAST = 1_000_000;
  private static final double MIN_RATE = 0.001;
  private static final double MAX_RATE = 1_000;

  private final Map<String, Object> members;

  private SubscribeOptions(Map<String, Object> members) {
    this.members = members;
  }

  /** Begins with the newest message of each topic or key. */
  public SubscribeOptions fromSnapshot() {
    return with("from", Continuity.SNAPSHOT);
  }

  /** Begins with up to {@code count} of the latest messages, 1 to 1,000,000. */
  public SubscribeOptions fromLast(int count) {
    check(count >= 1 && count <= MAX_LAST, "last must be 1 to 1000000, not " + count);
    return with("from", Collections.singletonMap("last", (long) count));
  }

  /** Begins with the messages after a stored position. */
  public SubscribeOptions from(Position position) {
    return with("from", position.members());
  }

  /** Keeps only the newest message of each topic or key while the client lags. */
  public SubscribeOptions latest() {
    return with("delivery", "latest");
  }

  /** Limits the messages per second of each topic or key to the newest ones, 0.001 to 1,000. */
  public SubscribeOptions rate(double perSecond) {
    check(
        perSecond >= MIN_RATE && perSecond <= MAX_RATE,
        "rate must be 0.001 to 1000, not " + perSecond);
    return with("rate", perSecond);
  }

  /** Receives only messages for which a JMS selector is true. */
  public SubscribeOptions where(String selector) {
    check(!selector.trim().isEmpty(), "selector must not be blank");
    return with("where", selector);
  }

  private SubscribeOptions with(String name, Object value) {
    Map<String, Object> copy = new LinkedHashMap<>(members);
    copy.put(name, value);
    return new SubscribeOptions(copy);
  }

  static void check(boolean isValid, String message) {
    if (!isValid) {
      throw new IllegalArgumentException(message);
    }
  }

  Object from() {
    return members.get("from");
  }

  String where() {
    return (String) members.get("where");
  }

  /** Returns the members of {@code subscribe} except for the start. */
  Map<String, Object> members() {
    Map<String, Object> copy = new LinkedHashMap<>(members);
    copy.remove("from");
    if (where() != null) {
      copy.put("tagged", true);
    }
    return copy;
  }
}
