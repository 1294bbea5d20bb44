package io.sluice.gateway.sim;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import java.time.Duration;
import java.util.List;

/**
 * Settings of a {@link Climate#HARSH} world. They are drawn after all others, so that mild worlds
 * keep their seeds.
 *
 * @param readBytesASecond read rate of a slow client
 * @param slowOneIn one in this many connections is slow
 * @param payloadBytes maximum payload of a message
 * @param burst maximum number of messages of a burst
 * @param burstMean mean microseconds between bursts
 * @param keys message keys of each topic; empty for none
 * @param warm patterns of {@code history.warm}
 * @param refusalMean mean microseconds between refusals of a topic by the broker; 0 for none
 * @param invalidRequestMean mean microseconds between invalid requests; 0 for none
 * @param config configuration with the limits of the logs
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
    long invalidRequestMean,
    Config config) {
  private static final int MILD_PAYLOAD_BYTES = 40;
  private static final List<List<String>> WARM =
      List.of(List.of(), List.of(), List.of(), List.of(">"), List.of("a.*"), List.of("b.1", "a.>"));

  /** Maximum number of subscriptions of a client. */
  static final int SUBSCRIPTIONS = 2;

  private static final int FEW_TOPICS = 3;
  private static final int MANY = 65_536;
  private static final long MANY_BYTES = 1 << 24;
  private static final long LONG = 600_000;

  static Hardship none(Config config) {
    return new Hardship(0, 1, MILD_PAYLOAD_BYTES, 0, 0, List.of(), List.of(), 0, 0, config);
  }

  static Hardship drawn(SeededRandom random, Config config) {
    List<String> warm = random.of(WARM);
    return new Hardship(
        random.of(List.of(1_000, 4_000, 20_000)),
        1 + random.below(3),
        random.of(List.of(MILD_PAYLOAD_BYTES, 300, 1_200)),
        random.of(List.of(10, 40, 150)),
        random.between(200, 10_000) * Plan.MILLI,
        random.of(List.of(List.of(), List.of(), List.of("x"), List.of("x", "y", "z"))),
        warm,
        random.oneIn(3) ? random.between(200, 5_000) * Plan.MILLI : 0,
        random.oneIn(3) ? random.between(100, 2_000) * Plan.MILLI : 0,
        limits(random, logs(random, config).with(HistorySettings.WARM, warm)));
  }

  private static Config limits(SeededRandom random, Config config) {
    return config
        .with(LimitSettings.TOPICS, random.oneIn(4) ? FEW_TOPICS : 100)
        .with(LimitSettings.SUBSCRIPTIONS, SUBSCRIPTIONS)
        .with(LimitSettings.SUBSCRIBE_RATE, MANY)
        .with(LimitSettings.CLIENT_ERRORS, MANY);
  }

  // Only one limit is low at a time, so that each of them evicts entries in some worlds.
  private static Config logs(SeededRandom random, Config config) {
    return switch (random.below(4)) {
      case 0 -> logs(config, random.of(List.of(0, 1, 2, 5, 12)), MANY_BYTES, LONG);
      case 1 -> logs(config, random.of(List.of(20, 50, 100, 400)), MANY_BYTES, LONG);
      case 2 -> logs(config, MANY, random.between(1 << 10, 1 << 17), LONG);
      default -> logs(config, MANY, MANY_BYTES, random.between(100, 5_000));
    };
  }

  private static Config logs(Config config, int messages, long bytes, long ageMs) {
    return config
        .with(HistorySettings.MESSAGES, messages)
        .with(HistorySettings.BYTES, bytes)
        .with(HistorySettings.AGE, Duration.ofMillis(ageMs));
  }

  /** Returns whether a node may refuse a topic within the limits of its client. */
  boolean refuses() {
    return refusalMean > 0 || hasFewTopics();
  }

  /** Returns whether a journal may evict messages before they are acknowledged. */
  boolean hasShortLogs() {
    return config.get(HistorySettings.AGE).toMillis() < LONG
        || config.get(HistorySettings.BYTES) < MANY_BYTES;
  }

  /** Returns whether it has no hardships. */
  boolean isMild() {
    return readBytesASecond == 0;
  }

  boolean hasFewTopics() {
    return config.get(LimitSettings.TOPICS) == FEW_TOPICS;
  }

  boolean isSlow(SeededRandom random) {
    return readBytesASecond > 0 && random.oneIn(slowOneIn);
  }
}
