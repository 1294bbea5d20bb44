package io.sluice.loadtest.broker.price;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Feed of generated prices of 100 instruments, which change at random. For one thread at a time.
 */
public final class GeneratedPrices implements PriceFeed {
  private static final int INSTRUMENTS = 100;
  private static final int TICK = 100;
  private static final long FIRST_PRICE = 1_000_000;
  private static final String SYMBOL = "SLUICE%02d";

  private final Random random;
  private final long[] prices = new long[INSTRUMENTS];
  private final int bids;
  private final int offers;
  private PriceUpdate update;

  /**
   * Creates a feed.
   *
   * @param seed equal feeds have equal prices
   * @param maxBytes maximum size of an encoded update; it has at least one bid and one offer
   */
  public GeneratedPrices(long seed, int maxBytes) {
    random = new Random(seed);
    int left = maxBytes - PriceCodec.size(SYMBOL.formatted(0).length(), 0);
    int levels = Math.max(2, Math.min(left / PriceCodec.LEVEL_BYTES, 0xffff));
    bids = levels / 2;
    offers = levels - bids;
    for (int i = 0; i < INSTRUMENTS; i++) {
      prices[i] = FIRST_PRICE + random.nextInt(INSTRUMENTS) * TICK;
    }
  }

  @Override
  public boolean next() {
    int instrument = random.nextInt(INSTRUMENTS);
    prices[instrument] =
        Math.max(FIRST_PRICE / 2, prices[instrument] + random.nextInt(-3, 4) * TICK);
    long price = prices[instrument];
    update =
        new PriceUpdate(
            SYMBOL.formatted(instrument),
            System.currentTimeMillis(),
            levels(bids, price, -TICK),
            levels(offers, price + TICK, TICK));
    return true;
  }

  private List<PriceLevel> levels(int count, long first, int step) {
    List<PriceLevel> levels = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      levels.add(new PriceLevel(first + (long) i * step, 1 + random.nextInt(1000)));
    }
    return levels;
  }

  @Override
  public PriceUpdate update() {
    return update;
  }
}
