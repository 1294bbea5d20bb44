package io.sluice.loadtest.result;

import java.time.Instant;
import java.util.List;

/**
 * One run of a simulation: a warm-up, whose end is found by rule, and the seconds that count.
 * Seconds are counted from the start of the run, the warm-up included. Immutable.
 *
 * @param number from 1
 * @param from when the run started: all clients were connected
 * @param warmUpSeconds how many seconds at the beginning do not count
 * @param steady whether the rule found an end of the warm-up in the first half; otherwise the
 *     warm-up is what was asked for at least, and the figures are those of a run that has not
 *     settled
 * @param seconds how many seconds count
 * @param clients the measured ones
 * @param connects from the start of a connection to its subscription's answer; null if none was
 *     made in the run
 * @param timeline of all measured clients together, one a second, the warm-up included
 * @param events in the order of time
 * @param gateway what it says of itself, in the order of time; empty if its metrics were not asked
 * @param crowd figures of the load generators; null if there are none
 */
public record MeasuredRun(
    int number,
    LoadProfile load,
    Instant from,
    int warmUpSeconds,
    boolean steady,
    int seconds,
    List<ClientResult> clients,
    Latencies connects,
    List<Second> timeline,
    List<Event> events,
    List<GatewaySample> gateway,
    LoadGeneratorResult crowd) {}
