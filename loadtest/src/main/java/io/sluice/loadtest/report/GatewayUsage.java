package io.sluice.loadtest.report;

import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.GatewaySample;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Resource usage of a gateway in the measured seconds of a run. Figures absent from its metrics are
 * 0. Immutable, for any thread.
 *
 * @param seconds between the first and the last sample; 0 if there are fewer than two
 * @param cores mean CPU usage in cores
 * @param frames frames sent per second
 * @param bytes bytes sent per second
 * @param messages messages received from the broker per second
 * @param clients maximum number of connected clients
 * @param memoryBytes maximum memory of the process
 * @param heapBytes maximum heap in use
 * @param collections number of garbage collections
 * @param pauseSeconds total garbage collection pauses
 * @param microsPerFrame CPU time per frame in microseconds, of consecutive segments of the run;
 *     empty if either figure is absent
 */
public record GatewayUsage(
    double seconds,
    double cores,
    double frames,
    double bytes,
    double messages,
    long clients,
    long memoryBytes,
    long heapBytes,
    long collections,
    double pauseSeconds,
    double[] microsPerFrame) {
  /** Number of segments of a run. Segments are less correlated than neighbouring seconds. */
  private static final int SEGMENTS = 10;

  private static final GatewayUsage NONE =
      new GatewayUsage(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, new double[0]);

  /** Returns the usage in a run. */
  public static GatewayUsage of(MeasuredRun run) {
    List<GatewaySample> samples = counted(run);
    if (samples.size() < 2) {
      return NONE;
    }
    GatewaySample first = samples.get(0);
    GatewaySample last = samples.get(samples.size() - 1);
    double seconds = last.second() - first.second();
    return new GatewayUsage(
        seconds,
        (last.cpuSeconds() - first.cpuSeconds()) / seconds,
        (last.framesOut() - first.framesOut()) / seconds,
        (last.bytesOut() - first.bytesOut()) / seconds,
        (last.messagesIn() - first.messagesIn()) / seconds,
        samples.stream().mapToLong(GatewaySample::clients).max().orElse(0),
        samples.stream().mapToLong(GatewaySample::memoryBytes).max().orElse(0),
        samples.stream().mapToLong(GatewaySample::heapBytes).max().orElse(0),
        last.collections() - first.collections(),
        last.collectionSeconds() - first.collectionSeconds(),
        segments(samples));
  }

  /** Returns whether metrics were scraped. */
  public boolean isKnown() {
    return seconds > 0;
  }

  /** Returns whether CPU time and frames are known. */
  public boolean hasCost() {
    return microsPerFrame.length > 0;
  }

  /** Returns the CPU time per frame of the whole run, in microseconds. */
  public double meanMicrosPerFrame() {
    return cores * 1e6 / frames;
  }

  private static List<GatewaySample> counted(MeasuredRun run) {
    int end = run.warmUpSeconds() + run.seconds();
    return run.gateway().stream()
        .filter(sample -> sample.second() >= run.warmUpSeconds() && sample.second() <= end)
        .toList();
  }

  private static double[] segments(List<GatewaySample> samples) {
    int segments = Math.min(SEGMENTS, samples.size() - 1);
    double[] micros =
        IntStream.range(0, segments).mapToDouble(i -> cost(samples, i, segments)).toArray();
    boolean known = IntStream.range(0, segments).allMatch(i -> micros[i] > 0);
    return known ? micros : new double[0];
  }

  /** Returns the CPU time per frame of a segment, or NaN without frames. */
  private static double cost(List<GatewaySample> samples, int segment, int segments) {
    int steps = samples.size() - 1;
    GatewaySample from = samples.get(segment * steps / segments);
    GatewaySample to = samples.get((segment + 1) * steps / segments);
    long frames = to.framesOut() - from.framesOut();
    return frames <= 0 ? Double.NaN : (to.cpuSeconds() - from.cpuSeconds()) * 1e6 / frames;
  }
}
