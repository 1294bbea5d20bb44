package io.sluice.loadtest.model;

import io.sluice.loadtest.statistics.Interval;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Model of a node's CPU, fitted to recorded runs. Immutable, for any thread.
 *
 * @param source description of the runs' origin
 * @param validation comparison with the held-out runs
 * @param maxFrames largest number of frames per second to which it was fitted
 * @param minBytes smallest payload to which it was fitted
 * @param maxBytes largest payload to which it was fitted
 */
public record NodeModel(
    String source,
    WeightedFit fit,
    Validation validation,
    double maxFrames,
    double minBytes,
    double maxBytes) {

  /** Returns the model of the runs that are part of this program. */
  public static NodeModel included() {
    return of("recorded runs of Sluice", RecordedRun.included());
  }

  /**
   * Returns the model of the runs in a file.
   *
   * @throws IllegalArgumentException if the file is invalid; the message names line and column
   */
  public static NodeModel read(Path file) throws IOException {
    return of("runs in " + file, RecordedRun.of(RunTable.read(file)));
  }

  /**
   * Returns the model of runs.
   *
   * @throws IllegalArgumentException if none is held out, or the others vary too little
   */
  static NodeModel of(String source, List<RecordedRun> runs) {
    List<RecordedRun> fitted = runs.stream().filter(run -> !run.heldOut()).toList();
    if (fitted.size() == runs.size()) {
      throw new IllegalArgumentException(
          source + ": no held-out run; expected at least one for the validation");
    }
    WeightedFit fit =
        WeightedFit.of(
            fitted.stream().map(run -> run.load().features()).toArray(double[][]::new),
            fitted.stream().mapToDouble(RecordedRun::cores).toArray());
    Validation validation = Validation.none(fitted.size());
    for (RecordedRun run : runs) {
      if (run.heldOut()) {
        validation = validation.with(fit.predict(run.load().features()), run.cores());
      }
    }
    return new NodeModel(
        source,
        fit,
        validation,
        fitted.stream().mapToDouble(RecordedRun::frames).max().orElse(0),
        fitted.stream().mapToDouble(RecordedRun::payloadBytes).min().orElse(0),
        fitted.stream().mapToDouble(RecordedRun::payloadBytes).max().orElse(0));
  }

  /** Returns the predicted CPU in cores. */
  Interval cores(NodeLoad load) {
    return fit.predict(load.features());
  }

  boolean coversPayload(double bytes) {
    return bytes >= minBytes && bytes <= maxBytes;
  }
}
