package io.sluice.loadtest;

import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.MeasuredRun.LoadGeneratorResult;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;

/** Checks applied to each run. Immutable, for any thread. */
record Inspector(Objectives objectives, double tolerance) {

  /** Returns the names of the checks, in report order. */
  List<String> names() {
    List<String> names =
        new ArrayList<>(
            List.of(
                "clients", "loss", "repeats", "order", "gaps", "stamps", "load", "load generator"));
    objectives.limitsMillis().forEach((figure, limit) -> names.add(objective(figure)));
    return names;
  }

  /**
   * Applies all checks to a run.
   *
   * @param expectedClients clients that the load generators should have connected
   */
  RunInspection inspect(MeasuredRun run, ActiveRun activeRun, int expectedClients) {
    Map<String, String> violations = new LinkedHashMap<>();
    put(violations, "clients", clients(run, activeRun));
    put(violations, "loss", count(run, ClientResult::lost, "messages lost"));
    put(violations, "repeats", count(run, ClientResult::repeated, "duplicate messages"));
    put(violations, "order", count(run, ClientResult::reordered, "messages out of order"));
    put(violations, "gaps", count(run, ClientResult::gaps, "gaps reported"));
    put(
        violations,
        "stamps",
        count(run, ClientResult::unreadable, "messages without a stamp of the feed"));
    put(violations, "load", load(run, activeRun));
    put(violations, "load generator", loadGenerator(run.loadGenerators(), expectedClients));
    objectives
        .limitsMillis()
        .forEach((figure, limit) -> put(violations, objective(figure), late(run, figure, limit)));
    return new RunInspection(run, violations);
  }

  private static void put(Map<String, String> violations, String name, String violation) {
    if (!violation.isEmpty()) {
      violations.put(name, violation);
    }
  }

  private static String count(
      MeasuredRun run, ToLongFunction<ClientResult> figure, String description) {
    long sum = run.clients().stream().mapToLong(figure).sum();
    return sum == 0 ? "" : sum + " " + description;
  }

  private static String clients(MeasuredRun run, ActiveRun activeRun) {
    List<String> failures = activeRun.failures();
    if (!failures.isEmpty()) {
      return failures.size() + " failed: " + failures.get(0);
    }
    int missing = run.load().measured() - run.clients().size();
    if (missing > 0) {
      return missing + " received nothing in the measured seconds and are excluded";
    }
    TransientClientStatistics transientClients = activeRun.transientClients();
    return transientClients.failed() + transientClients.faults() == 0
        ? ""
        : transientClients.toText();
  }

  /** Compares the load profile, which is only declared, with the received messages. */
  private String load(MeasuredRun run, ActiveRun activeRun) {
    LoadProfile load = run.load();
    double messages =
        run.clients().stream().mapToDouble(c -> c.sinceDue().count()).average().orElseThrow();
    double rate = messages / run.seconds();
    if (Math.abs(rate - load.rate()) > tolerance * load.rate()) {
      return String.format(
          Locale.ROOT,
          "%.2f messages/s per topic were received instead of %s; -Drate must equal the feed's"
              + " --rate",
          rate,
          load.rate());
    }
    int min = activeRun.clients().stream().mapToInt(ClientStream::minBytes).min().orElseThrow();
    int max = activeRun.clients().stream().mapToInt(ClientStream::maxBytes).max().orElseThrow();
    return min == load.payloadBytes() && max == load.payloadBytes()
        ? ""
        : "payloads have %d to %d B instead of %d; -Dsize must equal the feed's --bytes"
            .formatted(min, max, load.payloadBytes());
  }

  private static String loadGenerator(LoadGeneratorResult result, int expected) {
    if (result == null
        || (result.clients() == expected
            && result.failed() + result.closed() + result.gaps() == 0)) {
      return "";
    }
    return "%d of %d clients subscribed, %d connections failed, %d closed, %d gaps reported"
        .formatted(result.clients(), expected, result.failed(), result.closed(), result.gaps());
  }

  private static String late(MeasuredRun run, String figure, double limitMillis) {
    double millis = Objectives.millis(run, figure);
    return millis <= limitMillis
        ? ""
        : String.format(
            Locale.ROOT, "%s is %.3f ms, above the limit of %s ms", figure, millis, limitMillis);
  }

  private static String objective(String figure) {
    return figure + " within its limit";
  }

  /**
   * Run with the checks that it failed. Immutable.
   *
   * @param violations by name of the failed check
   */
  record RunInspection(MeasuredRun run, Map<String, String> violations) {

    boolean isFaultless() {
      return violations.isEmpty();
    }
  }
}
