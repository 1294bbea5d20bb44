package io.sluice.gateway.sim;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import java.time.Duration;
import java.util.List;

/**
 * What a {@link Climate#HARSH} world has beside everything else, drawn after it, so that mild
 * worlds are what they were before there was any of this.
 *
 * @param readBytesASecond what a slow client takes
 * @param slowOneIn how few of the connections are slow
 * @param payloadBytes most bytes of a message
 * @param burst most messages that come at once
 * @param burstMean microseconds between bursts
 * @param keys of each topic; none if empty
 * @param warm patterns that nodes follow by themselves
 * @param refusalMean microseconds between refusals of a topic by the broker; 0 for none
 * @param vainMean microseconds between requests that no node grants; 0 for none
 * @param config with the limits of logs
 */
record Hardship(
    int readBytesASecond,
    int slowOneIn,
    int payloadBytes,
    int burst,
    long burstMean,
    List<String> keys,
    List<String> warm,
    long refusalMean,
    long vainMean,
    Config config) {
  private static final int MILD_PAYLOAD_BYTES = 40;
  private static final List<List<String>> WARM =
      List.of(List.of(), List.of(), List.of(), List.of(">"), List.of("a.*"), List.of("b.1", "a.>"));

  /** As many as a client has at most. */
  static final int SUBSCRIPTIONS = 2;

  private static final int FEW_TOPICS = 3;
  private static final int MANY = 65_536;
  private static final long MANY_BYTES = 1 << 24;
  private static final long LONG = 600_000;

  static Hardship none(Config config) {
    return new Hardship(0, 1, MILD_PAYLOAD_BYTES, 0, 0, List.of(), List.of(), 0, 0, config);
  }

  static Hardship drawn(Chance chance, Config config) {
    List<String> warm = chance.of(WARM);
    return new Hardship(
        chance.of(List.of(1_000, 4_000, 20_000)),
        1 + chance.below(3),
        chance.of(List.of(MILD_PAYLOAD_BYTES, 300, 1_200)),
        chance.of(List.of(10, 40, 150)),
        chance.between(200, 10_000) * Plan.MILLI,
        chance.of(List.of(List.of(), List.of(), List.of("x"), List.of("x", "y", "z"))),
        warm,
        chance.oneIn(3) ? chance.between(200, 5_000) * Plan.MILLI : 0,
        chance.oneIn(3) ? chance.between(100, 2_000) * Plan.MILLI : 0,
        limits(chance, logs(chance, config).with(HistorySettings.WARM, warm)));
  }

  private static Config limits(Chance chance, Config config) {
    return config
        .with(LimitSettings.TOPICS, chance.oneIn(4) ? FEW_TOPICS : 100)
        .with(LimitSettings.SUBSCRIPTIONS, SUBSCRIPTIONS)
        .with(LimitSettings.SUBSCRIBE_RATE, MANY)
        .with(LimitSettings.CLIENT_ERRORS, MANY);
  }

  // One limit is narrow at a time, so that each of them is what makes a log forget.
  private static Config logs(Chance chance, Config config) {
    return switch (chance.below(4)) {
      case 0 -> logs(config, chance.of(List.of(0, 1, 2, 5, 12)), MANY_BYTES, LONG);
      case 1 -> logs(config, chance.of(List.of(20, 50, 100, 400)), MANY_BYTES, LONG);
      case 2 -> logs(config, MANY, chance.between(1 << 10, 1 << 17), LONG);
      default -> logs(config, MANY, MANY_BYTES, chance.between(100, 5_000));
    };
  }

  private static Config logs(Config config, int messages, long bytes, long ageMs) {
    return config
        .with(HistorySettings.MESSAGES, messages)
        .with(HistorySettings.BYTES, bytes)
        .with(HistorySettings.AGE, Duration.ofMillis(ageMs));
  }

  /** Whether a node may refuse a topic that is none too many for its client. */
  boolean refuses() {
    return refusalMean > 0 || hasFewTopics();
  }

  boolean hasFewTopics() {
    return config.get(LimitSettings.TOPICS) == FEW_TOPICS;
  }

  boolean isSlow(Chance chance) {
    return readBytesASecond > 0 && chance.oneIn(slowOneIn);
  }
}
