package io.sluice.gateway;

import java.util.List;

/** Messages that are published while clients move. */
public interface MessageFlow {
  /** Begins to publish. */
  void start();

  /** Waits until all messages are stored, and returns their ids. */
  List<String> awaitStored() throws Exception;

  /** Returns the part of an id in a frame that {@link #awaitStored} returns. */
  default String storedId(String id) {
    return id;
  }

  /** Returns the number of all messages once they are stored, until then -1. */
  int stored();

  /** Ends it early. */
  void stop();
}
