package io.sluice.gateway.hub;

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

/** The way of a message on the broker's thread: number, encode, into the queue of each loop. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class OfferBenchmark {
  private static final int MESSAGES = 5_000;

  /** Loops with a subscriber. */
  @Param({"1", "2", "8"})
  public int loops;

  private BusyHub hub;

  @Setup
  public void open() {
    hub = new BusyHub(loops, 1, 1, Encoding.BINARY);
  }

  @Benchmark
  @OperationsPerInvocation(MESSAGES)
  public void offer() {
    hub.offer(MESSAGES);
  }

  /** Outside of what is timed; a batch takes long enough for that. */
  @TearDown(Level.Invocation)
  public void drain() {
    hub.drain();
  }

  @TearDown
  public void close() {
    hub.close();
  }
}
