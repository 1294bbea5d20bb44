package io.sluice.loadtest.links;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Publishers and subscribers of one chain of nodes, which run in one process each. Bound to one
 * thread.
 */
final class LinkTrial implements AutoCloseable {
  /**
   * Result of one trial. Immutable.
   *
   * @param cpu CPU time in nanoseconds of the nodes of each tier
   * @param busy share of the machine's processors in use
   */
  record Result(LinkFigures figures, long[] cpu, double busy) {}

  private static final String TOPIC = "bench";
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final Duration MARGIN = Duration.ofMillis(200);
  private static final int MAX_WINDOW = 1024;
  private static final int MIN_WINDOW = 16;
  private static final int WINDOW_BYTES = 2 << 20;
  private static final Pattern READY = Pattern.compile("ready");
  private static final Pattern SUBSCRIBED = Pattern.compile("subscribed");
  private static final Pattern SENT = Pattern.compile("sent (\\d+)");
  private static final Pattern RESULT = Pattern.compile(SubscriberProcess.RESULT + "(.*)");

  private final LinkPlan plan;
  private final NodeChain chain;
  private final List<URI> last;
  private final int tiers;
  private final int count;
  private final Child publishers;
  private final Child subscribers;
  private final OperatingSystemMXBean machine =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  /** Starts the processes. */
  LinkTrial(LinkPlan plan, NodeChain chain, LinkScenario scenario, int peers)
      throws IOException, InterruptedException {
    this.plan = plan;
    this.chain = chain;
    this.tiers = scenario.tiers().size();
    this.last = chain.urls(tiers - 1);
    this.count = scenario.subscribers(peers);
    String senders = String.valueOf(scenario.publishers(peers));
    publishers =
        Child.java(
            "publishers",
            PublisherProcess.class,
            List.of(chain.brokerUrl(), TOPIC, senders),
            line -> false);
    try {
      subscribers =
          Child.java(
              "subscribers", SubscriberProcess.class, List.of(TOPIC, senders), this::onProgress);
      publishers.await(READY, LIMIT);
    } catch (IOException | InterruptedException e) {
      publishers.close();
      throw e;
    }
  }

  private boolean onProgress(String line) {
    boolean progress = line.startsWith(SubscriberProcess.AT);
    if (progress) {
      publishers.send(line);
    }
    return progress;
  }

  /**
   * Sends messages as fast as all subscribers receive them.
   *
   * @throws IOException if a process failed, or messages were lost or repeated
   */
  Result throughput(int bytes) throws IOException, InterruptedException {
    return run(bytes, 0, subscribersOf(List.of()));
  }

  /** Sends messages at the plan's rate, with one subscriber at a node of each tier. */
  Result latency(int bytes) throws IOException, InterruptedException {
    List<URI> probes = new ArrayList<>();
    for (int tier = 0; tier < tiers; tier++) {
      probes.add(chain.urls(tier).get(0));
    }
    return run(bytes, plan.rate(), subscribersOf(probes));
  }

  /** Returns a subscriber's URL each; the last of the probes is one of the subscribers. */
  private List<URI> subscribersOf(List<URI> probes) {
    List<URI> all = new ArrayList<>(probes);
    for (int i = probes.isEmpty() ? 0 : 1; i < count; i++) {
      all.add(last.get(i % last.size()));
    }
    return all;
  }

  private Result run(int bytes, int rate, List<URI> urls) throws IOException, InterruptedException {
    StringBuilder open = new StringBuilder("open ").append(rate == 0 ? 0 : tiers);
    urls.forEach(url -> open.append(' ').append(url));
    subscribers.send(open.toString());
    subscribers.await(SUBSCRIBED, LIMIT);
    long window = Math.max(MIN_WINDOW, Math.min(MAX_WINDOW, WINDOW_BYTES / bytes));
    Duration total = plan.warmUp().plus(plan.duration()).plus(MARGIN);
    publishers.send(
        "run %d %d %d %d %d"
            .formatted(bytes, window, rate, total.toMillis(), plan.patience().toMillis()));
    sleep(plan.warmUp());
    subscribers.send("measure");
    long[] before = chain.cpu();
    machine.getCpuLoad(); // the next call returns the load since this one
    sleep(plan.duration());
    subscribers.send("stop");
    double busy = machine.getCpuLoad();
    long[] cpu = chain.cpu();
    for (int i = 0; i < cpu.length; i++) {
      cpu[i] -= before[i];
    }
    chain.check();
    long sent =
        Long.parseLong(publishers.await(SENT, LIMIT.plus(total).plus(plan.patience())).group(1));
    subscribers.send("end");
    String json = subscribers.await(RESULT, LIMIT).group(1);
    LinkFigures figures = new JsonMapper().readValue(json, LinkFigures.class);
    String problems = figures.problems(sent);
    if (!problems.isEmpty()) {
      throw new IOException("%d B: %s".formatted(bytes, problems));
    }
    return new Result(figures, cpu, busy);
  }

  private static void sleep(Duration duration) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(duration.toMillis());
  }

  /** Kills the processes. */
  @Override
  public void close() {
    publishers.close();
    subscribers.close();
  }
}
