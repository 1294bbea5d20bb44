package io.sluice.gateway.feed;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/** Simulated stocks of the demo; each payload is a JSON object. Confined to the feed's thread. */
public final class Market implements Payloads {
  private static final String LISTING = "stocks.txt";

  /** Standard deviation of one update of the market level. */
  private static final double VOLATILITY = 0.00015;

  /** Mean reversion of the market level per update. */
  private static final double PULL = 0.0001;

  private final List<Stock> stocks;
  private final Random random;
  private double level;

  /** Creates a market at its opening; equal seeds produce equal prices. */
  public Market(long seed) {
    this.random = new Random(seed);
    this.stocks = listing().stream().map(this::stock).toList();
  }

  /** Returns the number of stocks, each of which is a topic. */
  public int stocks() {
    return stocks.size();
  }

  @Override
  public String payload(int topic, long sequence, long timeNs) {
    if (topic == 0) {
      level += VOLATILITY * random.nextGaussian() - PULL * level;
    }
    Stock stock = stocks.get(topic);
    stock.trade(level);
    return stock.json(sequence, timeNs);
  }

  private Stock stock(String line) {
    String[] fields = line.split("\\|");
    return new Stock(
        fields[0],
        fields[1],
        Double.parseDouble(fields[2]),
        Double.parseDouble(fields[3]) / 10_000,
        Double.parseDouble(fields[4]),
        new Random(random.nextLong()));
  }

  private static List<String> listing() {
    try (InputStream in = Market.class.getResourceAsStream(LISTING);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII))) {
      return lines.lines().filter(line -> !line.startsWith("#")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + LISTING, e);
    }
  }
}
