package io.sluice.gateway.sim;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Invalid requests of one client. Each is answered by exactly one error with the right code. */
final class InvalidRequests {
  private static final long FIRST_REF = 1L << 32;
  private static final List<String> NO_TOPICS = List.of("", "a..1", "a.>.1", "a b", "a.1#", ".");
  private static final String SUBSCRIBE =
      "{\"type\":\"subscribe\",\"ref\":%d,\"topic\":\"%s\",\"from\":\"snapshot\"}";
  private static final String UNSUBSCRIBE =
      "{\"type\":\"unsubscribe\",\"ref\":%d,\"topic\":\"%s\"}";

  private final String client;
  private final Plan plan;
  private final SeededRandom random;
  private final Map<Long, String> expected = new HashMap<>();
  private long nextRef = FIRST_REF;

  InvalidRequests(String client, Plan plan, SeededRandom random) {
    this.client = client;
    this.plan = plan;
    this.random = random;
  }

  /**
   * Returns the next frame.
   *
   * @param subscriptions number of the client's subscriptions
   * @param plain topics to which the client has plain subscriptions
   */
  String next(int subscriptions, List<String> plain) {
    return switch (random.below(plan.hardship.refuses() ? 3 : 5)) {
      case 0 -> frame(SUBSCRIBE, random.of(NO_TOPICS), "invalid-topic");
      case 1 -> frame(SUBSCRIBE, "a" + ".1".repeat(64), "topic-too-deep");
      case 2 -> frame(UNSUBSCRIBE, "c.1", "not-subscribed");
      case 3 ->
          plain.isEmpty()
              ? frame(SUBSCRIBE, "a..b", "invalid-topic")
              : frame(SUBSCRIBE, random.of(plain), "already-subscribed");
      default ->
          subscriptions < Hardship.SUBSCRIPTIONS
              ? frame(SUBSCRIBE, "a.>.>", "invalid-topic")
              : frame(SUBSCRIBE, "c.1", "too-many-subscriptions");
    };
  }

  private String frame(String format, String topic, String code) {
    expected.put(nextRef, code);
    return format.formatted(nextRef++, topic);
  }

  /** Returns whether a ref belongs to an invalid request. */
  static boolean isInvalid(long ref) {
    return ref >= FIRST_REF;
  }

  void onError(long ref, String code) {
    String due = expected.remove(ref);
    if (!code.equals(due)) {
      throw new Failure(client, "is answered " + code + " instead of " + due);
    }
  }

  void onConnectionLost() {
    expected.clear();
  }

  /** Checks that every request was answered. */
  void checkFinal() {
    if (!expected.isEmpty()) {
      throw new Failure(client, "was never answered " + expected.values());
    }
  }
}
