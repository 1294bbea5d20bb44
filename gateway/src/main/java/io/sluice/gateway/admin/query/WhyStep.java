package io.sluice.gateway.admin.query;

import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * Result of one step from the broker to a client. Immutable, for any thread.
 *
 * @param step word of the step
 * @param result ok, problem or unknown
 * @param detail one sentence
 * @param node name of the node; empty if the step applies to all
 */
record WhyStep(String step, String result, String detail, String node) {
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

  static WhyStep ok(String step, String detail, String node) {
    return new WhyStep(step, OK, detail, node);
  }

  static WhyStep problem(String step, String detail, String node) {
    return new WhyStep(step, PROBLEM, detail, node);
  }

  static WhyStep unknown(String step, String detail, String node) {
    return new WhyStep(step, UNKNOWN, detail, node);
  }

  boolean isProblem() {
    return result.equals(PROBLEM);
  }

  boolean isUnknown() {
    return result.equals(UNKNOWN);
  }

  JsonObject json() {
    return new JsonObject()
        .put("step", step)
        .put("result", result)
        .put("detail", detail)
        .put("node", node);
  }

  static WhyStep of(JsonObject json) {
    return new WhyStep(
        json.getString("step"),
        json.getString("result"),
        json.getString("detail"),
        json.getString("node"));
  }

  /** Returns one sentence with the first problem, or with the first step that is not decided. */
  static String answer(List<WhyStep> steps) {
    return steps.stream()
        .filter(WhyStep::isProblem)
        .findFirst()
        .map(step -> step.step + ": " + step.detail)
        .or(
            () ->
                steps.stream()
                    .filter(WhyStep::isUnknown)
                    .findFirst()
                    .map(step -> "not decided, " + step.step + ": " + step.detail))
        .orElse("no problem was found");
  }
}
