package io.sluice.loadtest.links;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Benchmark of links between nodes. For one thread.
 *
 * <p>All runs of a scenario with a number of peers have the same processes. Rounds without figures
 * precede them, because the processes compile their code after some ten thousand messages. The
 * order of sizes alternates between runs.
 */
public final class LinkBench {
  private static final int NANOS_PER_MICRO = 1000;

  private final LinkPlan plan;
  private final Consumer<String> progress;
  private final List<LinkRun> runs = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();

  /** Creates a benchmark; {@code progress} receives lines for users. */
  public LinkBench(LinkPlan plan, Consumer<String> progress) {
    this.plan = plan;
    this.progress = progress;
  }

  /**
   * Runs the benchmark. If a process fails, or a message is lost or repeated, the scenario with
   * this number of peers ends; others continue.
   */
  public LinkMeasurement run() throws InterruptedException {
    for (LinkScenario scenario : plan.scenarios()) {
      for (int peers : plan.peers()) {
        for (boolean multicast : plan.multicasts()) {
          try {
            run(scenario, multicast, peers);
          } catch (IOException e) {
            String failure = "%s, %d peers: %s".formatted(scenario, peers, e.getMessage());
            failures.add(failure);
            progress.accept(failure);
          }
        }
      }
    }
    return new LinkMeasurement(plan, List.copyOf(runs), List.copyOf(failures));
  }

  private void run(LinkScenario scenario, boolean multicast, int peers)
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("sluice-links-");
    List<Integer> sizes = new ArrayList<>(Collections.nCopies(scenario.tiers().size() - 1, 1));
    sizes.add(scenario.leaves(peers));
    try (NodeChain chain = NodeChain.start(plan.launcher(), multicast, folder, sizes);
        LinkTrial trial = new LinkTrial(plan, chain, scenario, peers)) {
      warmUp(trial, scenario, peers);
      for (int run = 1; run <= plan.runs(); run++) {
        List<Integer> order = new ArrayList<>(plan.bytes());
        if (run % 2 == 0) {
          Collections.reverse(order);
        }
        for (int bytes : order) {
          LinkRun result = run(trial, scenario, multicast, peers, sizes, bytes, run);
          runs.add(result);
          progress.accept(text(result));
        }
      }
    } finally {
      delete(folder);
    }
  }

  private void warmUp(LinkTrial trial, LinkScenario scenario, int peers)
      throws IOException, InterruptedException {
    long messages = 0;
    do {
      for (int bytes : plan.bytes()) {
        messages += trial.throughput(bytes).figures().subscribers().get(0).messages();
      }
      progress.accept(
          "%s, %d peers: %d of %d messages before the first run"
              .formatted(scenario, peers, messages, plan.warmUpMessages()));
    } while (messages < plan.warmUpMessages());
  }

  private static LinkRun run(
      LinkTrial trial,
      LinkScenario scenario,
      boolean multicast,
      int peers,
      List<Integer> nodes,
      int bytes,
      int number)
      throws IOException, InterruptedException {
    LinkTrial.Result fast = trial.throughput(bytes);
    LinkFigures latency = trial.latency(bytes).figures();
    double messages = (double) fast.figures().messages() / fast.figures().subscribers().size();
    List<Double> cpu = new ArrayList<>();
    List<LinkFigures.Percentiles> since = new ArrayList<>();
    List<LinkFigures.Percentiles> added = new ArrayList<>();
    added.add(new LinkFigures.Percentiles(0, 0));
    added.addAll(latency.added());
    for (int tier = 0; tier < nodes.size(); tier++) {
      cpu.add(fast.cpu()[tier] / messages / nodes.get(tier) / NANOS_PER_MICRO);
      since.add(latency.subscribers().get(tier).latency());
    }
    return new LinkRun(
        scenario,
        multicast,
        bytes,
        peers,
        number,
        messages / fast.figures().seconds(),
        fast.busy(),
        cpu,
        since,
        added);
  }

  private String text(LinkRun run) {
    return String.format(
        Locale.ROOT,
        "%s by %s, %d peers, %d B, run %d of %d: %,.0f messages/s, %.1f MB/s per subscriber",
        run.scenario(),
        run.transport(),
        run.peers(),
        run.bytes(),
        run.number(),
        plan.runs(),
        run.messages(),
        run.megabytes());
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
