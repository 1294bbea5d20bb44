package io.sluice.gateway.hub;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.history.LogLimits;
import io.sluice.gateway.history.LogMemory;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.protocol.SubscriptionStart;
import io.sluice.gateway.shard.HubShard;
import io.sluice.gateway.shard.Subscription;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Operations of the hub whose cost must not depend on the number of topics and patterns. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ManyTopicsBenchmark {
  private static final int AT_ONCE = 100;
  private static final Config CONFIG =
      Config.defaults()
          .with(HistorySettings.WARM, List.of(">"))
          .with(HistorySettings.MESSAGES, 10_000)
          .with(LimitSettings.TOPICS, 20_000)
          .with(LimitSettings.SHARD_QUEUE, 1 << 20);

  private static Message message(String topic, long identity) {
    return new Message(topic, identity, 1, PayloadKind.TEXT, new byte[64], null);
  }

  private static HubFixture fixture(Config config) {
    HubFixture fixture = new HubFixture(1, config, PooledByteBufAllocator.DEFAULT, null);
    fixture.hub.start();
    fixture.broker.connect();
    fixture.settle();
    return fixture;
  }

  /** A client whose subscriptions are refused. */
  private static final class RefusedSubscriber extends JoinedClient {
    RefusedSubscriber(HubShard shard) {
      super(shard, Encoding.BINARY);
    }

    @Override
    public void onFrames(ByteBuf frames) {}

    @Override
    public void onSubscribed(Subscription subscription, SubscriptionStart admission) {
      throw new IllegalStateException("the limit was not reached");
    }

    @Override
    public void onRefused(Subscription subscription, ErrorCode code, String why) {}

    @Override
    public void onGap(String topic, GapReason reason, long offset, ByteBuf frame) {}

    @Override
    public void onSources() {}
  }

  /** A node with as many topics as it may have, each with a subscriber. */
  @State(Scope.Thread)
  public static class Full {
    @Param({"100", "10000"})
    public int topics;

    private HubFixture fixture;
    private RefusedSubscriber refused;

    @Setup
    public void open() {
      fixture = fixture(Config.defaults().with(LimitSettings.TOPICS, topics));
      HubShard shard = fixture.shards.get(0);
      refused = new RefusedSubscriber(shard);
      CountingSubscriber subscriber = new CountingSubscriber(shard, Encoding.BINARY);
      for (int i = 0; i < topics; i++) {
        shard.subscribe(
            subscriber, InterestKey.of("topic." + i), i, false, Start.NOW, Delivery.ALL);
        fixture.settle();
      }
    }

    @TearDown
    public void close() {
      fixture.close();
    }
  }

  /** A warm pattern that feeds others. */
  @State(Scope.Thread)
  public static class Feeding {
    @Param({"100", "10000"})
    public int patterns;

    private HubFixture fixture;
    private TopicListener warm;
    private long identity;

    @Setup
    public void open() {
      fixture = fixture(CONFIG);
      HubShard shard = fixture.shards.get(0);
      CountingSubscriber subscriber = new CountingSubscriber(shard, Encoding.BINARY);
      for (int i = 0; i < patterns; i++) {
        shard.subscribe(
            subscriber, InterestKey.of("users." + i + ".*"), i, false, Start.NOW, Delivery.ALL);
      }
      fixture.settle();
      fixture.pass(RetroactiveFilter.WATCH_MS); // nothing is compared with the broker's history
      warm = fixture.broker.listener(">");
    }

    @TearDown(Level.Invocation)
    public void drain() {
      fixture.loops.forEach(ManualExecutor::runAll);
    }

    @TearDown
    public void close() {
      fixture.close();
    }
  }

  /** The log of a warm pattern, with a message of each of many topics. */
  @State(Scope.Thread)
  public static class WarmLog {
    @Param({"100", "10000"})
    public int topics;

    private final Exposition exposition = new Exposition("many-topics-benchmark");
    private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
    private final LogMemory memory = new LogMemory(1 << 30, metrics);
    private final LogLimits limits = LogLimits.of(CONFIG);
    private final Channel channel = new Channel(1, "topic.7", null);
    private TopicLog source;

    @Setup
    public void fill() {
      source = new TopicLog(1, null, limits, memory);
      for (int i = 0; i < topics; i++) {
        source.append(message("topic." + i, i), channel, 1);
      }
    }

    @TearDown
    public void close() {
      metrics.close();
      exposition.close();
    }
  }

  /** One more topic is refused. */
  @Benchmark
  public void subscribeAtTheLimit(Full node) {
    node.fixture
        .shards
        .get(0)
        .subscribe(node.refused, InterestKey.of("one.more"), 1, false, Start.NOW, Delivery.ALL);
    node.fixture.settle();
  }

  /** A message for one of many patterns below a warm one. */
  @Benchmark
  @OperationsPerInvocation(AT_ONCE)
  public void feed(Feeding node) {
    for (int i = 0; i < AT_ONCE; i++) {
      node.warm.onMessage(message("users.7.orders", ++node.identity), DeliveryInfo.of(0));
    }
  }

  /** A topic is opened below a warm pattern. */
  @Benchmark
  public Object copy(WarmLog warm) {
    TopicLog log = new TopicLog(2, null, warm.limits, warm.memory);
    log.copyFrom(warm.source, "topic.7", 0, topic -> warm.channel);
    log.close();
    return log;
  }
}
