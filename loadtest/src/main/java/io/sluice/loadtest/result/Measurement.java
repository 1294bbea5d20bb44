package io.sluice.loadtest.result;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * All that one simulation has found, with what is needed to repeat it. Immutable.
 *
 * @param format of the file, {@link #FORMAT}
 * @param simulation its name, such as {@code Ticker}
 * @param command the exact command line
 * @param parameters all of them by name, also those that had their defaults
 * @param machine that of the load test
 * @param versions of the gateway, the load test and what they run on, by name
 * @param clock how the gateway's clock stands to that of the load test; null if nobody asked it
 * @param runs in the order in which they were made
 */
public record Measurement(
    int format,
    String simulation,
    Instant startedAt,
    String command,
    Map<String, String> parameters,
    MachineDescription machine,
    Map<String, String> versions,
    ClockOffset clock,
    List<MeasuredRun> runs) {
  /** The format that this version writes and reads. */
  public static final int FORMAT = 1;
}
