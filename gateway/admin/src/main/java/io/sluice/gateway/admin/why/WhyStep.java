package io.sluice.gateway.admin.why;

import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * Result of one step from the broker to a client. Immutable, for any thread.
 *
 * @param step word of the step
 * @param result ok, problem, unknown, or past for a problem that no longer holds
 * @param detail one sentence
 * @param node name of the node; empty if the step applies to all
 * @param session id of the session; empty without one
 */
record WhyStep(String step, String result, String detail, String node, String session) {
  static final String SESSION = "session";
  static final String PERMISSION = "permission";
  static final String LIMITS = "limits";
  static final String INTEREST = "interest";
  static final String CONSUMER = "broker-consumer";
  static final String LAST_MESSAGE = "last-message";
  static final String FILTER = "filter";
  static final String POSITION = "position";
  static final String GAPS = "gaps";

  /** Words of all steps, in order. */
  static final List<String> ALL =
      List.of(
          SESSION, PERMISSION, LIMITS, INTEREST, CONSUMER, LAST_MESSAGE, FILTER, POSITION, GAPS);

  private static final String OK = "ok";
  private static final String PROBLEM = "problem";
  private static final String UNKNOWN = "unknown";
  private static final String PAST = "past";

  /** Creates steps of one session of a node. */
  record Source(String node, String session) {
    WhyStep ok(String step, String detail) {
      return new WhyStep(step, OK, detail, node, session);
    }

    WhyStep problem(String step, String detail) {
      return new WhyStep(step, PROBLEM, detail, node, session);
    }

    WhyStep unknown(String step, String detail) {
      return new WhyStep(step, UNKNOWN, detail, node, session);
    }

    WhyStep past(String step, String detail) {
      return new WhyStep(step, PAST, detail, node, session);
    }
  }

  boolean isProblem() {
    return result.equals(PROBLEM);
  }

  boolean isUnknown() {
    return result.equals(UNKNOWN);
  }

  boolean isPast() {
    return result.equals(PAST);
  }

  JsonObject json() {
    return new JsonObject()
        .put("step", step)
        .put("result", result)
        .put("detail", detail)
        .put("node", node)
        .put(SESSION, session);
  }

  static WhyStep of(JsonObject json) {
    return new WhyStep(
        json.getString("step"),
        json.getString("result"),
        json.getString("detail"),
        json.getString("node"),
        json.getString(SESSION));
  }
}
