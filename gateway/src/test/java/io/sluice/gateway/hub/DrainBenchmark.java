package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
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

/**
 * The way of a message on an event loop, up to its subscribers, who do next to nothing: the result
 * is for one delivery to one of them.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class DrainBenchmark {
  private static final int DELIVERIES = 100_000;

  /** Each has all topics. */
  @Param({"1", "100", "10000"})
  public int subscribers;

  /** With one, all messages of a batch follow each other in one topic; with more, none do. */
  @Param({"1", "10"})
  public int topics;

  /** Delivery mode of the subscribers, and whether each topic has keys. */
  @Param({"all", "latest", "latest-keys"})
  public String delivery;

  /** Refs of tagged subscriptions; {@code NONE} are plain ones. */
  @Param("NONE")
  public String refs;

  private BusyHub hub;

  @Setup
  public void open() {
    Delivery asked = delivery.equals("all") ? Delivery.ALL : new Delivery(true, 0);
    int keys = delivery.endsWith("keys") ? 10 : 0;
    BusyHub.Refs tags = BusyHub.Refs.valueOf(refs);
    hub = new BusyHub(1, subscribers, topics, Encoding.BINARY, asked, keys, tags);
  }

  /** Outside of what is timed; a batch takes long enough for that. */
  @Setup(Level.Invocation)
  public void offer() {
    hub.offer(DELIVERIES / subscribers);
  }

  @Benchmark
  @OperationsPerInvocation(DELIVERIES)
  public void drain() {
    hub.drain();
  }

  @TearDown
  public void close() {
    hub.close();
  }
}
