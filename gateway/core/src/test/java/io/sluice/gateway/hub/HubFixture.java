package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.shard.HubShard;
import io.sluice.gateway.store.MessageStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A hub on hand-cranked threads with a scripted broker, whose event loops do not linger between
 * batches. Bound to the test's thread.
 */
public final class HubFixture implements AutoCloseable {
  static final int QUEUE_LIMIT = 64;

  /** Above the small epochs that tests use for logs of other nodes. */
  private static final AtomicLong EPOCHS = new AtomicLong(1_000_000);

  public final ManualExecutor control = new ManualExecutor();
  public final List<ManualExecutor> loops = new ArrayList<>();
  public final List<HubShard> shards = new ArrayList<>();
  public final Hub hub;
  final ManualClock clock = new ManualClock();

  /** The source with the topics of no other one. */
  public ScriptedBroker broker;

  /** The other sources by name. */
  public final Map<String, ScriptedBroker> others = new LinkedHashMap<>();

  private final ByteBufAllocatorMetric buffers;
  private final Exposition exposition = new Exposition("hub-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());

  HubFixture(int loopCount) {
    this(loopCount, Config.defaults());
  }

  HubFixture(int loopCount, Config config) {
    this(loopCount, config, QUEUE_LIMIT);
  }

  public HubFixture(int loopCount, Config config, int queueLimit) {
    this(
        loopCount,
        config.with(LimitSettings.SHARD_QUEUE, queueLimit),
        new UnpooledByteBufAllocator(false),
        null);
  }

  /** With durable interests. */
  HubFixture(int loopCount, Config config, MessageStore journal) {
    this(loopCount, config, new UnpooledByteBufAllocator(false), journal);
  }

  /** Creates a hub whose sequencers run only when the test requests it. */
  HubFixture(int loopCount, Config config, Executor sequencer) {
    this(loopCount, config, sequencer, QUEUE_LIMIT);
  }

  HubFixture(int loopCount, Config config, Executor sequencer, int queueLimit) {
    this(
        loopCount,
        config.with(LimitSettings.SHARD_QUEUE, queueLimit),
        new UnpooledByteBufAllocator(false),
        null,
        sequencer,
        false,
        Map.of());
  }

  /** Creates a hub whose mailboxes the threads of messages run, within their budget. */
  static HubFixture withCallers(Executor sequencer) {
    return new HubFixture(
        1,
        Config.defaults().with(LimitSettings.SHARD_QUEUE, QUEUE_LIMIT),
        new UnpooledByteBufAllocator(false),
        null,
        sequencer,
        true,
        Map.of());
  }

  <A extends ByteBufAllocator & ByteBufAllocatorMetricProvider> HubFixture(
      int loopCount, Config config, A allocator, MessageStore journal) {
    this(loopCount, config, allocator, journal, Runnable::run, false, Map.of());
  }

  /** With other sources by name, each with patterns of its topics. */
  public HubFixture(int loopCount, Config config, Map<String, List<String>> others) {
    this(
        loopCount,
        config.with(LimitSettings.SHARD_QUEUE, QUEUE_LIMIT),
        new UnpooledByteBufAllocator(false),
        null,
        Runnable::run,
        false,
        others);
  }

  private <A extends ByteBufAllocator & ByteBufAllocatorMetricProvider> HubFixture(
      int loopCount,
      Config config,
      A allocator,
      MessageStore journal,
      Executor sequencer,
      boolean callers,
      Map<String, List<String>> topics) {
    List<SourceParts> sources = new ArrayList<>();
    topics.forEach(
        (name, patterns) ->
            sources.add(
                new SourceParts(
                    name,
                    patterns,
                    listener -> {
                      ScriptedBroker other = new ScriptedBroker(listener, clock);
                      others.put(name, other);
                      return other;
                    })));
    sources.add(
        new SourceParts(
            "jms", List.of(), listener -> broker = new ScriptedBroker(listener, clock)));
    buffers = allocator.metric();
    HubParts parts =
        HubParts.of(control, allocator, metrics, sources, journal, 0)
            .with(
                clock,
                EPOCHS::incrementAndGet,
                () -> ThreadLocalRandom.current().nextLong(),
                sequencer);
    hub =
        new Hub(
            HubOptions.of(config.with(ServerSettings.BATCH_LINGER, Duration.ZERO)),
            callers ? withCallers(parts, sequencer) : parts);
    for (int i = 0; i < loopCount; i++) {
      loops.add(new ManualExecutor());
      shards.add(hub.newShard(loops.get(i)));
    }
  }

  private HubParts withCallers(HubParts parts, Executor sequencer) {
    return new HubParts(
        parts.control(),
        parts.allocator(),
        parts.metrics(),
        parts.sources(),
        parts.journal(),
        parts.clock(),
        parts.epochs(),
        parts.identities(),
        () -> new Sequencers(sequencer, sequencer, clock, new CallerBudget(clock.nanos())),
        parts.tracing(),
        parts.formats());
  }

  /** Lets time pass, and every timer that was not cancelled fire. */
  public void pass(long ms) {
    clock.pass(ms);
    loops.forEach(ManualExecutor::fireTimers);
    settle();
  }

  /** Runs everything that waits, until nothing does. */
  public void settle() {
    boolean busy = true;
    while (busy) {
      busy = control.runAll();
      for (ManualExecutor loop : loops) {
        busy |= loop.runAll();
      }
    }
  }

  /** Returns the number of messages dropped for a cause. */
  double dropped(String cause) {
    return exposition.registry().get("sluice.drops").tag("cause", cause).functionCounter().count();
  }

  /** Returns the bytes of direct memory in use. */
  long directBytes() {
    return buffers.usedDirectMemory();
  }

  /** Returns the value of a gauge. */
  double gauge(String name) {
    return exposition.registry().get(name).gauge().value();
  }

  public void assertNothingLeaked() {
    hub.frameCache().clear();
    assertThat(buffers.usedDirectMemory()).as("direct memory in use").isZero();
    assertThat(buffers.usedHeapMemory()).as("heap buffers in use").isZero();
  }

  @Override
  public void close() {
    hub.frameCache().clear();
    metrics.close();
    exposition.close();
    control.shutdownNow();
    loops.forEach(ManualExecutor::shutdownNow);
  }
}
