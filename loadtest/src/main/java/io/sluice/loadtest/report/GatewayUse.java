package io.sluice.loadtest.report;

import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.GatewaySample;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What a gateway used in the seconds of a run that count. Figures that its metrics did not tell are
 * 0. Immutable.
 *
 * @param seconds between the first and the last sample; 0 if there are fewer than two
 * @param cores of CPU, on the mean
 * @param frames sent a second
 * @param bytes sent a second
 * @param messages received from the broker a second
 * @param clients connected, at most
 * @param memoryBytes of the process, at most
 * @param heapBytes in use, at most
 * @param collections of garbage
 * @param pauseSeconds of pauses for them
 * @param microsAFrame CPU time in microseconds over frames, of pieces of the run that follow each
 *     other; empty if either was not told
 */
public record GatewayUse(
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
    double[] microsAFrame) {
  /** Neighbouring seconds are alike; pieces this many to a run are less so. */
  private static final int PIECES = 10;

  private static final GatewayUse NONE =
      new GatewayUse(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, new double[0]);

  /** What the samples of a run tell. */
  public static GatewayUse of(MeasuredRun run) {
    List<GatewaySample> samples = counted(run);
    if (samples.size() < 2) {
      return NONE;
    }
    GatewaySample first = samples.get(0);
    GatewaySample last = samples.get(samples.size() - 1);
    double seconds = last.second() - first.second();
    return new GatewayUse(
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
        pieces(samples));
  }

  /** Whether the gateway was asked at all. */
  public boolean isKnown() {
    return seconds > 0;
  }

  /** Whether CPU time and frames were told. */
  public boolean hasCost() {
    return microsAFrame.length > 0;
  }

  /** CPU time over frames of the whole run, in microseconds. */
  public double meanMicrosAFrame() {
    return cores * 1e6 / frames;
  }

  private static List<GatewaySample> counted(MeasuredRun run) {
    int end = run.warmUpSeconds() + run.seconds();
    return run.gateway().stream()
        .filter(sample -> sample.second() >= run.warmUpSeconds() && sample.second() <= end)
        .toList();
  }

  private static double[] pieces(List<GatewaySample> samples) {
    int pieces = Math.min(PIECES, samples.size() - 1);
    double[] micros =
        IntStream.range(0, pieces).mapToDouble(i -> cost(samples, i, pieces)).toArray();
    boolean told = IntStream.range(0, pieces).allMatch(i -> micros[i] > 0);
    return told ? micros : new double[0];
  }

  /** NaN without frames. */
  private static double cost(List<GatewaySample> samples, int piece, int pieces) {
    int steps = samples.size() - 1;
    GatewaySample from = samples.get(piece * steps / pieces);
    GatewaySample to = samples.get((piece + 1) * steps / pieces);
    long frames = to.framesOut() - from.framesOut();
    return frames <= 0 ? Double.NaN : (to.cpuSeconds() - from.cpuSeconds()) * 1e6 / frames;
  }
}
