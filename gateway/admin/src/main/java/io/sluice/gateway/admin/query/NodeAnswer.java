package io.sluice.gateway.admin.query;

import io.vertx.core.json.JsonObject;
import java.util.concurrent.TimeoutException;

/**
 * Answer of a node to a query. Immutable, for any thread.
 *
 * @param json null if the node has no answer
 * @param status ok, timeout or error
 * @param error reason of a missing answer; null with ok
 */
record NodeAnswer(String node, JsonObject json, String status, String error) {
  private static final String OK = "ok";

  static NodeAnswer of(String node, JsonObject json) {
    return new NodeAnswer(node, json, OK, null);
  }

  static NodeAnswer failed(String node, String error) {
    return new NodeAnswer(node, null, "error", error);
  }

  /** Returns the answer of a node whose request has failed. */
  static NodeAnswer of(String node, Throwable failure, long timeoutMs) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    if (failure instanceof TimeoutException || cause instanceof TimeoutException) {
      String error = "no response within " + timeoutMs + " ms";
      return new NodeAnswer(node, null, "timeout", error);
    }
    return failed(node, cause.getMessage() == null ? cause.toString() : cause.getMessage());
  }

  boolean isOk() {
    return status.equals(OK);
  }

  /** Returns the state of the node in responses. */
  JsonObject state() {
    JsonObject json = new JsonObject().put("node", node).put("status", status);
    return error == null ? json : json.put("error", error);
  }
}
