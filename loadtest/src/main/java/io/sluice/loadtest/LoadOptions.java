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
 * @param topics number of topics over which clients are distributed
 * @param rate messages per second per topic, equal to the feed's rate
 * @param size payload size in bytes, equal to the feed's size
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
    ClientPosition position,
    Path folder) {

  /** Reads the properties; those of one simulation must have been requested before. */
  static LoadOptions of(Parameters given) {
    LoadOptions options = read(given);
    given.rejectUnknown();
    return options;
  }

  private static LoadOptions read(Parameters given) {
    return new LoadOptions(
        given,
        new GatewayTarget(
            given.webSocketUrl("url", "ws://localhost:8080/ws"),
            given.word("encoding", "bin", "json", "bin").equals("bin"),
            given.text("prefix", "stocks."),
            given.file("tokenFile").map(TokenFile::read),
            given.word("inflate", "no", "yes", "no").equals("yes")),
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
        given.number("generators", 1, 1),
        given.number("seed", 1, 0),
        given.httpUrl("metrics"),
        given.decimal("tolerance", 5, 0) / 100,
        ClientPosition.of(given.word("position", "random", "random", "first", "last")),
        Path.of(given.text("folder", "target/measurements")));
  }

  /** Returns the load profile for a number of clients. */
  LoadProfile load(int clients) {
    return load(clients, rate);
  }

  LoadProfile load(int clients, double messagesPerSecond) {
    int atLeastOne = Math.max(1, clients);
    return new LoadProfile(
        atLeastOne, Math.min(measured, atLeastOne), topics, messagesPerSecond, size);
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
        position,
        seed,
        folder);
  }
}
