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

/** Looks at a run for everything that should not be. Immutable, for any thread. */
record Inspector(Objectives objectives, double tolerance) {

  /** What is looked at, in the order in which it is told. */
  List<String> names() {
    List<String> names =
        new ArrayList<>(
            List.of(
                "clients", "loss", "repeats", "order", "gaps", "stamps", "load", "load generator"));
    objectives.limitsMillis().forEach((figure, limit) -> names.add(objective(figure)));
    return names;
  }

  /**
   * Looks at a run.
   *
   * @param expectedClients clients that the load generators should have had
   */
  RunInspection inspect(MeasuredRun run, ActiveRun stage, int expectedClients) {
    Map<String, String> complaints = new LinkedHashMap<>();
    put(complaints, "clients", clients(run, stage));
    put(complaints, "loss", count(run, ClientResult::lost, "messages lost"));
    put(complaints, "repeats", count(run, ClientResult::repeated, "messages twice"));
    put(complaints, "order", count(run, ClientResult::reordered, "messages out of order"));
    put(complaints, "gaps", count(run, ClientResult::gaps, "gaps told"));
    put(complaints, "stamps", count(run, ClientResult::unreadable, "messages that no feed sent"));
    put(complaints, "load", load(run, stage));
    put(complaints, "load generator", loadGenerator(run.crowd(), expectedClients));
    objectives
        .limitsMillis()
        .forEach((figure, limit) -> put(complaints, objective(figure), late(run, figure, limit)));
    return new RunInspection(run, complaints);
  }

  private static void put(Map<String, String> complaints, String name, String complaint) {
    if (!complaint.isEmpty()) {
      complaints.put(name, complaint);
    }
  }

  private static String count(MeasuredRun run, ToLongFunction<ClientResult> figure, String what) {
    long sum = run.clients().stream().mapToLong(figure).sum();
    return sum == 0 ? "" : sum + " " + what;
  }

  private static String clients(MeasuredRun run, ActiveRun stage) {
    List<String> failures = stage.failures();
    if (!failures.isEmpty()) {
      return failures.size() + " failed: " + failures.get(0);
    }
    int silent = run.load().measured() - run.clients().size();
    if (silent > 0) {
      return silent + " received nothing in the seconds that count, and are left out";
    }
    Visitors visitors = stage.visitors();
    return visitors.failed() + visitors.flaws() == 0 ? "" : visitors.toText();
  }

  /** The load is only stated, so it is held against what came. */
  private String load(MeasuredRun run, ActiveRun stage) {
    LoadProfile load = run.load();
    double messages =
        run.clients().stream().mapToDouble(c -> c.sinceSent().count()).average().orElseThrow();
    double rate = messages / run.seconds();
    if (Math.abs(rate - load.rate()) > tolerance * load.rate()) {
      return String.format(
          Locale.ROOT,
          "%.2f messages/s came of each topic, not %s: -Drate should be the feed's --rate",
          rate,
          load.rate());
    }
    int least = stage.clients().stream().mapToInt(ClientStream::leastBytes).min().orElseThrow();
    int most = stage.clients().stream().mapToInt(ClientStream::mostBytes).max().orElseThrow();
    return least == load.payloadBytes() && most == load.payloadBytes()
        ? ""
        : "payloads have %d to %d B, not %d: -Dsize should be the feed's --bytes"
            .formatted(least, most, load.payloadBytes());
  }

  private static String loadGenerator(LoadGeneratorResult result, int expected) {
    if (result == null
        || (result.clients() == expected
            && result.failed() + result.closed() + result.gaps() == 0)) {
      return "";
    }
    return "%d of %d clients subscribed, %d connections failed, %d closed, %d gaps told"
        .formatted(result.clients(), expected, result.failed(), result.closed(), result.gaps());
  }

  private static String late(MeasuredRun run, String figure, double limitMillis) {
    double millis = Objectives.millis(run, figure);
    return millis <= limitMillis
        ? ""
        : String.format(Locale.ROOT, "%s is %.3f ms, above %s", figure, millis, limitMillis);
  }

  private static String objective(String figure) {
    return figure + " within its limit";
  }

  /**
   * Run with the checks that it failed. Immutable.
   *
   * @param complaints by name of the failed check
   */
  record RunInspection(MeasuredRun run, Map<String, String> complaints) {

    boolean isFlawless() {
      return complaints.isEmpty();
    }
  }
}
