package io.sluice.gateway.feed;

import jakarta.jms.JMSException;

/** Where a feed's messages go: one connection to a broker. Confined to the feed's thread. */
interface Outlet extends AutoCloseable {
  /** Hands a message over without waiting for the broker. */
  void send(int topic, String text) throws JMSException;

  @Override
  void close();

  /** Opens outlets. */
  interface Source {
    /** Connects and prepares the topics; blocks. */
    Outlet open(FeedPlan plan) throws JMSException;
  }
}
