package io.sluice.gateway.hub;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.session.StubClient;
import io.sluice.gateway.shard.HubShard;
import io.sluice.gateway.shard.Subscription;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Cost of an event for the event loop of the binary clients that it concerns, in total and for the
 * longest turn of the loop.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 50)
@Measurement(iterations = 100)
public class EventBenchmark {
  private static final int PAYLOAD_BYTES = 64;
  private static final Config CONFIG = Config.defaults().with(AuthSettings.ANONYMOUS, true);

  /** Ten thousand clients of one pattern. */
  @State(Scope.Thread)
  public static class Many {
    private final Loop loop = new Loop();
    private int topics;

    @Setup
    public void open() {
      loop.open(10_000);
    }

    @TearDown
    public void close() {
      loop.close();
    }
  }

  /** A pattern that has met thirty thousand topics. */
  @State(Scope.Thread)
  public static class Wide {
    private final Loop loop = new Loop();
    private StubClient client;
    private Subscription subscription;

    @Setup
    public void open() {
      loop.open(1);
      for (int i = 0; i < 30_000; i++) {
        loop.publish("p." + i);
        loop.fixture.settle();
      }
      client = loop.join(1)[0];
    }

    @TearDown(Level.Invocation)
    public void leave() {
      subscription.end();
      loop.fixture.settle();
    }

    @TearDown
    public void close() {
      loop.close();
    }
  }

  /** The longest turn of the loop in an event. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Turns {
    public long longestTurnNs;

    @Setup(Level.Iteration)
    public void clear() {
      longestTurnNs = 0;
    }

    void run(Loop loop) {
      boolean more = true;
      while (more) {
        long before = System.nanoTime();
        more = loop.fixture.loops.get(0).runOne();
        longestTurnNs = Math.max(longestTurnNs, System.nanoTime() - before);
      }
    }
  }

  private static final class Loop {
    private final HubFixture fixture =
        new HubFixture(1, CONFIG, PooledByteBufAllocator.DEFAULT, null);
    private final HubShard shard = fixture.shards.get(0);
    private final Exposition exposition = new Exposition("benchmark");
    private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
    private TopicListener listener;
    private long published;

    void open(int clients) {
      fixture.broker.connect();
      fixture.settle();
      for (StubClient client : join(clients)) {
        shard.subscribe(client, InterestKey.of("p.*"), 1, false, Start.NOW, Delivery.ALL);
      }
      fixture.settle();
      listener = fixture.broker.listener("p.*");
    }

    StubClient[] join(int clients) {
      return StubClient.join(fixture.hub, shard, CONFIG, metrics, Encoding.BINARY, clients);
    }

    void publish(String topic) {
      listener.onMessage(
          new Message(topic, ++published, 1, PayloadKind.TEXT, new byte[PAYLOAD_BYTES], null),
          DeliveryInfo.of(published));
    }

    void close() {
      fixture.close();
      metrics.close();
      exposition.close();
    }
  }

  /** The first message of a topic that the pattern has not met before. */
  @Benchmark
  public void newTopic(Many many, Turns turns) {
    many.loop.publish("p.new" + many.topics++);
    turns.run(many.loop);
  }

  @Benchmark
  public void gap(Many many, Turns turns) {
    many.loop.listener.onMissed(GapReason.TOO_LARGE, DeliveryInfo.of(0));
    turns.run(many.loop);
  }

  @Benchmark
  public void live(Many many, Turns turns) {
    many.loop.fixture.hub.source(0).onLive();
    turns.run(many.loop);
  }

  /** A client subscribes to the pattern and gets the numbers of its topics. */
  @Benchmark
  public void join(Wide wide, Turns turns) {
    wide.subscription =
        wide.loop.shard.subscribe(
            wide.client, InterestKey.of("p.*"), 1, false, Start.NOW, Delivery.ALL);
    turns.run(wide.loop);
  }
}
