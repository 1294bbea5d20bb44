package io.sluice.loadtest.model;

import java.util.List;

/**
 * Run of a node that was recorded for the model. Immutable, for any thread.
 *
 * @param heldOut whether it validates the model, which is not fitted to it
 * @param series name of the measurement; runs of one series may share a process
 * @param topics number of topics, over which the clients are distributed
 * @param rate messages per second and topic
 * @param payloadBytes payload of a message
 * @param clients number of clients, each with one topic
 * @param frames frames per second that all clients received
 * @param cores CPU of the node's process
 */
record RecordedRun(
    boolean heldOut,
    String series,
    TransportMode mode,
    double topics,
    double rate,
    double payloadBytes,
    double clients,
    double frames,
    double cores) {
  private static final String FILE = "model-runs.csv";
  private static final String HELD_OUT = "held-out";
  private static final List<String> COLUMNS =
      List.of(
          "use",
          "series",
          "mode",
          "topics",
          "rate",
          "bytes",
          "clients",
          "frames_per_s",
          "node_cores");

  /** Returns the runs that are part of this program. */
  static List<RecordedRun> included() {
    return of(RunTable.included(FILE));
  }

  static List<RecordedRun> of(RunTable table) {
    return table.rows(COLUMNS, RecordedRun::of);
  }

  private static RecordedRun of(RunTable.Row row) {
    String use = row.text("use");
    if (!use.equals(HELD_OUT) && !use.equals("fit")) {
      throw new IllegalArgumentException(
          "%s: use '%s': expected fit or held-out".formatted(row.place(), use));
    }
    return new RecordedRun(
        use.equals(HELD_OUT),
        row.text("series"),
        TransportMode.parse(row.place(), row.text("mode")),
        row.positive("topics"),
        row.positive("rate"),
        row.positive("bytes"),
        row.positive("clients"),
        row.positive("frames_per_s"),
        row.positive("node_cores"));
  }

  NodeLoad load() {
    return new NodeLoad(mode, Math.min(topics, clients) * rate, frames);
  }
}
