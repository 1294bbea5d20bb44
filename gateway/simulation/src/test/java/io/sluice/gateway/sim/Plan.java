package io.sluice.gateway.sim;

import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.TopicPattern;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Parameters of one run, derived from the seed. Times are microseconds. */
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

  /** Maximum difference of a message's delay between two nodes. */
  final long displacement;

  /** Maximum error of a clock, in either direction. */
  final long skew;

  /** True if long delays at the broker are as likely as short ones. */
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

  final Selectors selectors;

  final boolean compressed;

  final MessageIds ids;

  final LateBinding binding;

  final ClockSteps steps;

  final Discards discards;

  /** Stream of an ordered source; null for a JMS broker. */
  final SimulatedStream stream;

  /** Roots and leaves; null if each node has the broker. */
  final Tiers tiers;

  /** Random sequence of durable interests. */
  final SeededRandom durableRandom;

  /** True if no limit drops messages or shortens logs, so that only a lost broker causes gaps. */
  final boolean roomy;

  /**
   * @param seed seed of the messages bound at the send, the steps of clocks, and the discards
   * @param durableRandom separate random sequence of durable interests
   * @param selectors selectors of the clients
   * @param ids ids of messages at the nodes
   * @param stream stream of an ordered source, or null
   * @param tiers roots and leaves, or null
   * @param broken rules that the configuration violates
   * @param wild whether reordering and clock errors exceed the configured tolerance
   * @param compressed whether clients use compression
   */
  Plan(
      long seed,
      Timeline timeline,
      SeededRandom random,
      SeededRandom durableRandom,
      Selectors selectors,
      MessageIds ids,
      SimulatedStream stream,
      Tiers tiers,
      Climate climate,
      Set<Rule> broken,
      boolean wild,
      boolean compressed) {
    this.compressed = compressed;
    this.durableRandom = durableRandom;
    this.selectors = selectors;
    this.ids = ids;
    this.stream = stream;
    this.tiers = tiers;
    this.broken = broken;
    int drawnNodes = 2 + random.below(2);
    nodes = tiers == null ? drawnNodes : tiers.nodes();
    shards = 1 + random.below(2);
    clients = 2 + random.below(5);
    int drawnPublishers = 1 + random.below(4);
    publishers = stream == null ? drawnPublishers : stream.most;
    topics = List.of("a.1", "a.2", "b.1");
    patterns = List.of("a.*", "a.>", ">");
    long spreadMs = random.of(List.of(10L, 50L, 200L, 800L));
    displacement = (spreadMs / 2 - 2) * MILLI * (wild ? 20 : 1);
    boolean mild = climate != Climate.HARSH;
    boolean overloaded = climate == Climate.OVERLOADED;
    binding = LateBinding.drawn(seed, ids.areSound() && stream == null && tiers == null);
    long marginMs = binding.marginMs(spreadMs, spreadMs + random.of(margins(climate)));
    evenDelays = random.oneIn(2);
    latency = random.of(List.of(MILLI, 10 * MILLI, 100 * MILLI));
    loopLag = random.of(List.of(MILLI, 10 * MILLI, 200 * MILLI));
    publishMean =
        binding.publishMean(random.of(List.of(5 * MILLI, 30 * MILLI, 100 * MILLI, 500 * MILLI)));
    clientCutMean = binding.faultMean(random.between(50, 1_500) * MILLI * (mild ? 1 : 2));
    clientPauseMean = random.between(1, 20) * SECOND;
    clientReplaceMean = random.between(3, 60) * SECOND;
    canaryInterval = random.between(100, overloaded ? 200 : mild ? 2_000 : 500) * MILLI;
    long hiddenLag =
        overloaded ? 2 * canaryInterval : 0; // a backlog that no round has detected yet
    skew = binding.skew(((marginMs - spreadMs / 2 - 5) * MILLI - hiddenLag) / 2) * (wild ? 20 : 1);
    pingInterval = random.between(100, mild ? 2_000 : 500) * MILLI;
    nodeFaultMean = binding.faultMean(random.between(2, 60) * SECOND);
    linkFaultMean = binding.faultMean(random.between(1, 20) * SECOND);
    unforwardableOneIn = random.of(List.of(30, 200, 1_000, 1_000_000));
    kernelBytes = (int) random.between(100, 4_000);
    roomy = random.oneIn(2);
    Config usual =
        Config.defaults()
            .with(AuthSettings.ANONYMOUS, true)
            .with(
                HistorySettings.RESUME_SPREAD,
                Duration.ofMillis(keeps(broken, Rule.SPREAD_COVERS_REORDERING, spreadMs)))
            .with(
                HistorySettings.RESUME_MARGIN,
                Duration.ofMillis(keeps(broken, Rule.MARGIN_COVERS_CLOCKS, marginMs)))
            .with(HistorySettings.RESUME_OVERLAP, roomy ? 65_536 : random.of(List.of(16, 64, 512)))
            .with(HistorySettings.MESSAGES, roomy ? 65_536 : random.of(List.of(4, 16, 64, 600)))
            .with(
                HistorySettings.AGE,
                Duration.ofMillis(roomy ? 600_000 : random.between(500, 60_000)))
            .with(BrokerSettings.LINGER, Duration.ofMillis(random.between(0, 8_000)))
            .with(LimitSettings.SHARD_QUEUE, roomy ? 65_536 : (int) random.between(64, 256))
            .with(
                LimitSettings.PENDING_BYTES, random.of(List.of(4_096L, 4_096L, 16_384L, 65_536L)));
    hardship = mild ? Hardship.none(usual) : Hardship.drawn(random, usual);
    boolean noneDurable = mild || !binding.isNone() || stream != null;
    durability = noneDurable ? Durability.none() : Durability.drawn(durableRandom);
    overload = overloaded ? Overload.drawn(random, durableRandom) : Overload.none();
    Config drawn =
        overload.config(
            durability.config(hardship.config()), !broken.contains(Rule.CONGESTION_HOLDS));
    config =
        stream == null
            ? drawn
            : drawn
                .with(HistorySettings.READ_BACK, stream.readBack)
                .with(HistorySettings.RESUME_OVERLAP, 65_536);
    boolean usualMessages =
        durability.isNone() && binding.isNone() && stream == null && tiers == null;
    steps = new ClockSteps(seed, usualMessages, this, timeline);
    discards = new Discards(seed, usualMessages, this);
  }

  // Backlogs must be detected before they exceed the margin.
  private static List<Long> margins(Climate climate) {
    return switch (climate) {
      case MILD -> List.of(20L, 100L, 500L, 4_000L);
      case HARSH -> List.of(20L, 20L, 50L, 200L);
      case OVERLOADED -> List.of(2_500L, 4_000L);
    };
  }

  /** Returns the network between the nodes and the clients. */
  SimulatedConnection.Network network() {
    return new SimulatedConnection.Network(
        pingInterval, latency, kernelBytes, hardship.readBytesASecond());
  }

  /** Returns whether the node violates a rule. */
  boolean breaks(Rule rule) {
    return broken.contains(rule);
  }

  private static long keeps(Set<Rule> broken, Rule rule, long value) {
    return broken.contains(rule) ? 0 : value;
  }

  /** Returns whether a topic may lag, by a backlog or by messages that look like one. */
  boolean mayLag() {
    return !overload.isNone()
        || !durability.isNone()
        || !ids.areSound()
        || !binding.isNone() && binding.transactions();
  }

  /** Returns the delay of a message on one hop. */
  long delay(SeededRandom random, long maxMicros) {
    return evenDelays ? random.between(0, maxMicros) : random.mostlySmall(maxMicros);
  }

  /** Returns whether the broker keeps the order within each topic of a pattern only. */
  boolean mixesTopicsOf(InterestKey key) {
    String pattern = key.topic();
    return !durability.ordered()
        && TopicPattern.isPattern(pattern)
        && durability.patterns().stream()
            .anyMatch(durable -> TopicPattern.covers(durable, pattern));
  }

  /** Returns the age of a message above which a root that is behind another does not send it. */
  long overlapMicros() {
    return durability.isNone() && overload.isNone() && stream == null
        ? displacement + 3 * SECOND
        : Long.MAX_VALUE / 2;
  }

  /** Returns whether logs have all messages of a run. */
  boolean hasLongLogs() {
    return roomy && hardship.warm().isEmpty() && !hardship.refuses() && hardship.isMild();
  }

  long spreadMs() {
    return config.get(HistorySettings.RESUME_SPREAD).toMillis();
  }

  long marginMs() {
    return config.get(HistorySettings.RESUME_MARGIN).toMillis();
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
        + " reads=%dB/s payload=%dB burst=%d/%dms keys=%s warm=%s refusals=%dms invalid=%dms topics=%d"
            .formatted(
                hardship.readBytesASecond(),
                hardship.payloadBytes(),
                hardship.burst(),
                hardship.burstMean() / MILLI,
                hardship.keys(),
                hardship.warm(),
                hardship.refusalMean() / MILLI,
                hardship.invalidRequestMean() / MILLI,
                config.get(LimitSettings.TOPICS))
        + " "
        + durability
        + " "
        + overload
        + " bound="
        + binding.meanMicros() / MILLI
        + "ms isolation="
        + binding.isolationMean() / MILLI
        + "ms steps="
        + !steps.isNone()
        + " discards="
        + !discards.isNone()
        + (stream == null ? "" : " " + stream)
        + (tiers == null ? "" : " " + tiers);
  }
}
