package io.sluice.gateway.http;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Owner of a page's endpoints below {@code /demo/}. Event loops call it; it never blocks them. A
 * node that {@code sluice run} starts has none.
 */
public interface PageActions {
  /** Returns the ports of all nodes that are known so far. */
  List<Integer> ports();

  /**
   * Returns the state as a JSON object.
   *
   * @param controls whether the client may request actions
   */
  CompletionStage<String> state(boolean controls);

  /**
   * Runs an action, such as {@code broker/stop}.
   *
   * @return completes with the problem, or with null
   */
  CompletionStage<String> run(String action);
}
