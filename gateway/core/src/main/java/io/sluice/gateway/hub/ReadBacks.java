package io.sluice.gateway.hub;

import io.sluice.gateway.limits.FairQueue;
import java.util.function.BooleanSupplier;

/**
 * Requests to read messages back from the source. Few run at a time, so that live messages are not
 * delayed, and users take turns. Bound to the control thread.
 */
final class ReadBacks {
  private static final int MAX_RUNNING = 2;

  private final FairQueue<BooleanSupplier> waiting = new FairQueue<>();
  private int running;

  /**
   * Adds a request of a user.
   *
   * @param request sends it; returns whether an answer follows
   */
  void add(String user, BooleanSupplier request) {
    waiting.add(user, request);
    runNext();
  }

  /** Records the answer to a request. */
  void onAnswer() {
    running--;
    runNext();
  }

  private void runNext() {
    while (running < MAX_RUNNING && waiting.peek() != null) {
      if (waiting.poll().getAsBoolean()) {
        running++;
      }
    }
  }
}
