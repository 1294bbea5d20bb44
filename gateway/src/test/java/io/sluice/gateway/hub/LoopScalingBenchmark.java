package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.Encoding;
import java.util.ArrayList;
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

/**
 * Fan-out of the same messages by one event loop or by two at once, each on a separate thread. The
 * result is the time of one delivery per loop. Two loops of separate hubs share nothing: loops of
 * one hub that write no common cache line have the same time.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class LoopScalingBenchmark {
  private static final int DELIVERIES = 1_000_000;

  /** Event loops that run at the same time. */
  public enum Loops {
    /** One loop. */
    ONE,
    /** Two loops of one hub. */
    TWO,
    /** Two loops, each of a separate hub. */
    SEPARATE
  }

  @Param public Loops loops;

  /** Subscribers of each loop, all to the same topic. */
  @Param({"10", "100", "1000"})
  public int subscribers;

  private final List<BusyHub> hubs = new ArrayList<>();
  private LoopThreads threads;

  @Setup
  public void open() {
    int hubCount = loops == Loops.SEPARATE ? 2 : 1;
    for (int i = 0; i < hubCount; i++) {
      hubs.add(new BusyHub(loops == Loops.TWO ? 2 : 1, subscribers, 1, Encoding.BINARY));
    }
    threads = new LoopThreads(loops == Loops.ONE ? 1 : 2);
  }

  /** Outside of what is timed; a batch takes long enough for that. */
  @Setup(Level.Invocation)
  public void offer() {
    hubs.forEach(hub -> hub.offer(DELIVERIES / subscribers));
  }

  @Benchmark
  @OperationsPerInvocation(DELIVERIES)
  public void drainTogether() {
    threads.run(this::drain);
  }

  private void drain(int thread) {
    if (loops == Loops.SEPARATE) {
      hubs.get(thread).drain(0);
    } else {
      hubs.get(0).drain(thread);
    }
  }

  @TearDown
  public void close() {
    threads.close();
    hubs.forEach(BusyHub::close);
  }
}
