package io.sluice.gateway.feed;

import java.io.IOException;

/** Connection of a feed to a broker. Confined to the feed's thread. */
public interface FeedSender extends AutoCloseable {
  /** Sends a message without waiting for the broker. */
  void send(int topic, String text) throws IOException;

  @Override
  void close();

  /** Factory of connected senders. */
  interface Source {
    /** Connects and creates the producers; blocks. */
    FeedSender open(FeedPlan plan) throws IOException;
  }
}
