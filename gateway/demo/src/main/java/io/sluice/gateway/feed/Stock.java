package io.sluice.gateway.feed;

import java.util.Random;

/**
 * Simulated stock. Its price is a geometric random walk with mean reversion to the opening price,
 * and follows the market level by a factor. Confined to the feed's thread.
 */
final class Stock {
  /** Standard deviation of the price around its opening, as a fraction of it. */
  private static final double SPREAD = 0.03;

  /** Probability that a trade leaves the price unchanged. */
  private static final double UNCHANGED = 0.25;

  private final String symbol;
  private final String name;
  private final double open;
  private final double volatility;
  private final double meanLot;
  private final double tick;
  private final double beta;
  private final Random random;
  private double drift;
  private double seenMarket;
  private long volume;

  /**
   * Creates a stock at its opening price.
   *
   * @param volatility standard deviation of one update, as a fraction of the price
   * @param meanLot mean number of shares traded by one update
   */
  Stock(String symbol, String name, double open, double volatility, double meanLot, Random random) {
    this.symbol = symbol;
    this.name = name;
    this.open = open;
    this.volatility = volatility;
    this.meanLot = meanLot;
    this.tick = open < 500 ? 0.01 : 0.05;
    this.beta = 0.3 + random.nextDouble();
    this.random = random;
  }

  /**
   * Simulates one trade.
   *
   * @param market logarithm of the market level relative to its opening
   */
  void trade(double market) {
    volume += lot();
    if (random.nextDouble() < UNCHANGED) {
      return;
    }
    double pull = volatility * volatility / (2 * SPREAD * SPREAD);
    drift += volatility * random.nextGaussian() - pull * drift;
    seenMarket = market;
  }

  /** Returns an exponentially distributed lot, in multiples of ten shares. */
  private long lot() {
    return 10 * (1 + (long) (-Math.log(1 - random.nextDouble()) * meanLot / 10));
  }

  /** Returns the current price, a multiple of the tick. */
  double price() {
    double exact = open * Math.exp(drift + beta * seenMarket);
    return Math.max(tick, Math.round(exact / tick) * tick);
  }

  /**
   * Returns the state as one JSON object; change is in percent of the opening price.
   *
   * @param sequence number of the message in its topic
   * @param timeNs time of the message in nanoseconds since 1970, written in milliseconds
   */
  String json(long sequence, long timeNs) {
    StringBuilder json = new StringBuilder(224);
    json.append("{\"symbol\":\"").append(symbol).append("\",\"name\":\"").append(name);
    appendHundredths(json.append("\",\"price\":"), price());
    appendHundredths(json.append(",\"change\":"), 100 * (price() / open - 1));
    appendHundredths(json.append(",\"open\":"), open);
    json.append(",\"volume\":").append(volume).append(",\"sequence\":").append(sequence);
    appendThousandths(json.append(",\"time\":"), timeNs / 1_000);
    return json.append('}').toString();
  }

  private static void appendThousandths(StringBuilder text, long thousandths) {
    int fraction = (int) (thousandths % 1_000);
    text.append(thousandths / 1_000).append('.');
    text.append((char) ('0' + fraction / 100)).append((char) ('0' + fraction / 10 % 10));
    text.append((char) ('0' + fraction % 10));
  }

  /** Appends a number with two decimals, without the cost of a formatter. */
  static void appendHundredths(StringBuilder text, double number) {
    long hundredths = Math.round(number * 100);
    if (hundredths < 0) {
      text.append('-');
      hundredths = -hundredths;
    }
    text.append(hundredths / 100).append('.');
    text.append((char) ('0' + hundredths / 10 % 10)).append((char) ('0' + hundredths % 10));
  }
}
