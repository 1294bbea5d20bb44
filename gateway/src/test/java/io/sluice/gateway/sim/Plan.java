package io.sluice.gateway.sim;

import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.protocol.TopicPattern;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** What one run is made of; all of it follows from the seed. Times are microseconds. */
final class Plan {
  static final long MILLI = 1_000;
  static final long SECOND = 1_000_000;

  private final Set<Rule> broken;
  final int nodes;
  final int shards;
  final int clients;
  final int publishers;
  final List<String> topics;
  final List<String> patterns;

  /** By how much a message's way to one node may take longer than to another. */
  final long displacement;

  /** By how much clocks may be wrong, either way. */
  final long skew;

  /** Whether long delays at the broker are as likely as short ones. */
  final boolean evenDelays;

  final long latency;
  final long loopLag;
  final long publishMean;
  final long clientCutMean;
  final long clientPauseMean;
  final long clientReplaceMean;
  final long nodeFaultMean;
  final long canaryInterval;
  final long pingInterval;
  final long linkFaultMean;
  final int unforwardableOneIn;
  final int kernelBytes;
  final Config config;

  final Hardship hardship;

  final Durability durability;

  final Overload overload;

  /** The stream of chance of everything durable. */
  final Chance durableChance;

  /** Whether no message is dropped and no log is too short, so that a gap needs a lost broker. */
  final boolean roomy;

  /**
   * @param durableChance a stream of its own, for what is durable
   * @param broken rules that the configuration breaks
   * @param wild whether reordering and clocks are worse than any configuration says
   */
  Plan(Chance chance, Chance durableChance, Climate climate, Set<Rule> broken, boolean wild) {
    this.durableChance = durableChance;
    this.broken = broken;
    nodes = 2 + chance.below(2);
    shards = 1 + chance.below(2);
    clients = 2 + chance.below(5);
    publishers = 1 + chance.below(4);
    topics = List.of("a.1", "a.2", "b.1");
    patterns = List.of("a.*", "a.>", ">");
    long spreadMs = chance.of(List.of(10L, 50L, 200L, 800L));
    displacement = (spreadMs / 2 - 2) * MILLI * (wild ? 20 : 1);
    boolean mild = climate != Climate.HARSH;
    boolean overloaded = climate == Climate.OVERLOADED;
    long marginMs = spreadMs + chance.of(margins(climate));
    evenDelays = chance.oneIn(2);
    latency = chance.of(List.of(MILLI, 10 * MILLI, 100 * MILLI));
    loopLag = chance.of(List.of(MILLI, 10 * MILLI, 200 * MILLI));
    publishMean = chance.of(List.of(5 * MILLI, 30 * MILLI, 100 * MILLI, 500 * MILLI));
    clientCutMean = chance.between(50, 1_500) * MILLI * (mild ? 1 : 2);
    clientPauseMean = chance.between(1, 20) * SECOND;
    clientReplaceMean = chance.between(3, 60) * SECOND;
    canaryInterval = chance.between(100, overloaded ? 200 : mild ? 2_000 : 500) * MILLI;
    long hiddenLag = overloaded ? 2 * canaryInterval : 0; // a backlog that no round has shown yet
    skew = ((marginMs - spreadMs / 2 - 5) * MILLI - hiddenLag) / 2 * (wild ? 20 : 1);
    pingInterval = chance.between(100, mild ? 2_000 : 500) * MILLI;
    nodeFaultMean = chance.between(2, 60) * SECOND;
    linkFaultMean = chance.between(1, 20) * SECOND;
    unforwardableOneIn = chance.of(List.of(30, 200, 1_000, 1_000_000));
    kernelBytes = (int) chance.between(100, 4_000);
    roomy = chance.oneIn(2);
    Config usual =
        Config.defaults()
            .with(AuthSettings.ANONYMOUS, true)
            .with(
                HistorySettings.RESUME_SPREAD,
                Duration.ofMillis(keeps(broken, Rule.SPREAD_COVERS_REORDERING, spreadMs)))
            .with(
                HistorySettings.RESUME_MARGIN,
                Duration.ofMillis(keeps(broken, Rule.MARGIN_COVERS_CLOCKS, marginMs)))
            .with(HistorySettings.RESUME_OVERLAP, roomy ? 65_536 : chance.of(List.of(16, 64, 512)))
            .with(HistorySettings.MESSAGES, roomy ? 65_536 : chance.of(List.of(4, 16, 64, 600)))
            .with(
                HistorySettings.AGE,
                Duration.ofMillis(roomy ? 600_000 : chance.between(500, 60_000)))
            .with(BrokerSettings.LINGER, Duration.ofMillis(chance.between(0, 8_000)))
            .with(LimitSettings.SHARD_QUEUE, roomy ? 65_536 : (int) chance.between(64, 256))
            .with(
                LimitSettings.PENDING_BYTES, chance.of(List.of(4_096L, 4_096L, 16_384L, 65_536L)));
    hardship = mild ? Hardship.none(usual) : Hardship.drawn(chance, usual);
    durability = mild ? Durability.none() : Durability.drawn(durableChance);
    overload = overloaded ? Overload.drawn(chance) : Overload.none();
    config =
        overload.config(
            durability.config(hardship.config()), !broken.contains(Rule.CONGESTION_HOLDS));
  }

  // Backlogs have to show themselves before they exceed the margin.
  private static List<Long> margins(Climate climate) {
    return switch (climate) {
      case MILD -> List.of(20L, 100L, 500L, 4_000L);
      case HARSH -> List.of(20L, 20L, 50L, 200L);
      case OVERLOADED -> List.of(2_500L, 4_000L);
    };
  }

  /** Whether the node is to break a rule. */
  boolean breaks(Rule rule) {
    return broken.contains(rule);
  }

  private static long keeps(Set<Rule> broken, Rule rule, long value) {
    return broken.contains(rule) ? 0 : value;
  }

  /** How long a message takes on one stretch of its way. */
  long delay(Chance chance, long mostMicros) {
    return evenDelays ? chance.between(0, mostMicros) : chance.mostlySmall(mostMicros);
  }

  /** Whether the broker keeps the order of each topic of a pattern alone. */
  boolean mixesTopicsOf(String pattern) {
    return !durability.ordered()
        && TopicPattern.isPattern(pattern)
        && durability.patterns().stream()
            .anyMatch(durable -> TopicPattern.covers(durable, pattern));
  }

  long spreadMs() {
    return config.get(HistorySettings.RESUME_SPREAD).toMillis();
  }

  @Override
  public String toString() {
    return "nodes=%d shards=%d clients=%d publishers=%d displacement=%dms skew=%dms latency=%dms"
            .formatted(
                nodes,
                shards,
                clients,
                publishers,
                displacement / MILLI,
                skew / MILLI,
                latency / MILLI)
        + " publish=%dms spread=%s margin=%s overlap=%d messages=%d bytes=%d age=%s roomy=%s"
            .formatted(
                publishMean / MILLI,
                config.get(HistorySettings.RESUME_SPREAD),
                config.get(HistorySettings.RESUME_MARGIN),
                config.get(HistorySettings.RESUME_OVERLAP),
                config.get(HistorySettings.MESSAGES),
                config.get(HistorySettings.BYTES),
                config.get(HistorySettings.AGE),
                roomy)
        + " reads=%dB/s payload=%dB burst=%d/%dms keys=%s warm=%s refusals=%dms vain=%dms topics=%d"
            .formatted(
                hardship.readBytesASecond(),
                hardship.payloadBytes(),
                hardship.burst(),
                hardship.burstMean() / MILLI,
                hardship.keys(),
                hardship.warm(),
                hardship.refusalMean() / MILLI,
                hardship.vainMean() / MILLI,
                config.get(LimitSettings.TOPICS))
        + " "
        + durability
        + " "
        + overload;
  }
}
