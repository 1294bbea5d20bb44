package io.sluice.loadtest.broker.price;

import java.io.Serializable;
import java.util.List;

/**
 * Update of an instrument's prices. Immutable, for any thread.
 *
 * @param symbol at most 255 characters of Latin-1
 * @param time time of the update in Unix milliseconds
 * @param bids best bids, the highest one first
 * @param offers best offers, the lowest one first
 */
public record PriceUpdate(String symbol, long time, List<PriceLevel> bids, List<PriceLevel> offers)
    implements Serializable {

  /** Creates an update with copies of its lists. */
  public PriceUpdate {
    bids = List.copyOf(bids);
    offers = List.copyOf(offers);
  }
}
