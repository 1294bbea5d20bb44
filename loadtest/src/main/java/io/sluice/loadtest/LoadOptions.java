package io.sluice.loadtest;

import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * System properties of all simulations with their defaults, such as {@code -Durl=…}; times in
 * seconds. Immutable.
 *
 * @param measured clients that record every message
 * @param topics among which clients are dealt out
 * @param rate messages a second of each topic, as the feed has it
 * @param size bytes of a message's payload, as the feed has it
 */
record LoadOptions(
    Parameters given,
    GatewayTarget target,
    RunTiming timing,
    int measured,
    int topics,
    double rate,
    int size,
    int runs,
    int processes,
    long seed,
    Optional<URI> metrics,
    double tolerance,
    Path folder) {

  static LoadOptions of(Parameters given) {
    return new LoadOptions(
        given,
        new GatewayTarget(
            given.webSocketUrl("url", "ws://localhost:8080/ws"),
            given.word("encoding", "bin", "json", "bin").equals("bin"),
            given.text("prefix", "stocks."),
            given.file("tokenFile").map(TokenFile::read)),
        new RunTiming(
            given.seconds("ramp", 5, 0),
            given.seconds("warmup", 10, 0),
            given.seconds("duration", 60, 1),
            given.seconds("patience", 10, 1)),
        given.number("measured", 30, 1),
        given.number("topics", 100, 1),
        given.decimal("rate", 10, 0.001),
        given.number("size", 512, 1),
        given.number("runs", 1, 1),
        given.number("crowds", 1, 1),
        given.number("seed", 1, 0),
        given.httpUrl("metrics"),
        given.decimal("tolerance", 5, 0) / 100,
        Path.of(given.text("folder", "target/measurements")));
  }

  /** What is asked of the gateway with so many clients. */
  LoadProfile load(int clients) {
    return load(clients, rate);
  }

  LoadProfile load(int clients, double messagesPerSecond) {
    int least = Math.max(1, clients);
    return new LoadProfile(least, Math.min(measured, least), topics, messagesPerSecond, size);
  }

  LoadPlan plan(String simulation, List<LoadProfile> steps, Objectives objectives) {
    return new LoadPlan(
        simulation,
        given,
        target,
        timing,
        steps,
        runs,
        processes,
        metrics,
        objectives,
        tolerance,
        folder);
  }
}
