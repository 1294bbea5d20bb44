package io.sluice.gateway.feed;

import java.util.Random;

/**
 * One made-up company and its price. The price is a geometric random walk that part of the market's
 * own walk moves with it, and that is drawn back to its opening. Confined to the feed's thread.
 */
final class Stock {
  /** A price rarely gets further from its opening than three times this part of it. */
  private static final double SPREAD = 0.03;

  private static final double QUIET = 0.25;

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
   * A stock at its opening price.
   *
   * @param volatility standard deviation of one update, as a part of the price
   * @param meanLot shares traded by an update on average
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
   * One trade.
   *
   * @param market logarithm of the whole market against its opening
   */
  void trade(double market) {
    volume += lot();
    if (random.nextDouble() < QUIET) {
      return;
    }
    double pull = volatility * volatility / (2 * SPREAD * SPREAD);
    drift += volatility * random.nextGaussian() - pull * drift;
    seenMarket = market;
  }

  /** Exponential, in tens of shares. */
  private long lot() {
    return 10 * (1 + (long) (-Math.log(1 - random.nextDouble()) * meanLot / 10));
  }

  /** The price now, a multiple of the tick. */
  double price() {
    double exact = open * Math.exp(drift + beta * seenMarket);
    return Math.max(tick, Math.round(exact / tick) * tick);
  }

  /** The state as one JSON object; change is in percent of the opening price. */
  String json() {
    StringBuilder json = new StringBuilder(160);
    json.append("{\"symbol\":\"").append(symbol).append("\",\"name\":\"").append(name);
    appendHundredths(json.append("\",\"price\":"), price());
    appendHundredths(json.append(",\"change\":"), 100 * (price() / open - 1));
    appendHundredths(json.append(",\"open\":"), open);
    return json.append(",\"volume\":").append(volume).append('}').toString();
  }

  /** Two decimals, without the cost of a formatter. */
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
