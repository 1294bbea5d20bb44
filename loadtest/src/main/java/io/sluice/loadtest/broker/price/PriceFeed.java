package io.sluice.loadtest.broker.price;

import java.io.IOException;

/** Sequence of price updates for a producer. For one thread at a time. */
public interface PriceFeed extends AutoCloseable {
  /** Feed of messages without prices. */
  PriceFeed NONE =
      new PriceFeed() {
        @Override
        public boolean next() {
          return true;
        }

        @Override
        public PriceUpdate update() {
          return null;
        }
      };

  /** Moves to the next update; returns false at the end. */
  boolean next() throws IOException;

  /** Returns the current update, or null. */
  PriceUpdate update();

  /** Returns the nanoseconds between the first and the current update, or -1 if it has no time. */
  default long offsetNanos() {
    return -1;
  }

  @Override
  default void close() throws IOException {}
}
