package io.sluice.loadtest.broker.workload;

import io.sluice.loadtest.broker.price.PriceUpdate;
import java.io.Serializable;

/**
 * Content of a message: its stamp, and a price if its type has one. Object messages contain it.
 * Immutable, for any thread.
 *
 * @param stamp the stamp, or null if the message has none
 * @param price the price, or null
 */
public record StampedPrice(BenchStamp stamp, PriceUpdate price) implements Serializable {
  static final StampedPrice NONE = new StampedPrice(null, null);
}
