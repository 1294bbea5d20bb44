package io.sluice.gateway.ingress;

import io.sluice.testkit.ClassicBroker;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.NodeProcess;
import io.sluice.testkit.ProcessTime;
import io.sluice.testkit.SluiceProcess;
import io.sluice.testkit.TestBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Benchmark of messages from the broker: CPU time and context switches of a node per message, and
 * the latency since the publisher. 100 topics have one client each.
 *
 * <p>Arguments: provider, seconds per round, rounds, rates separated by commas, and launchers of
 * the nodes. Several nodes, of different versions, are measured in turn at the same broker.
 */
public final class BrokerMessageProgram {
  private static final int TOPICS = 100;
  private static final int BYTES = 512;
  private static final String PREFIX = "stocks.";
  private static final int SETTLE_MS = 3_000;
  private static final int WARM_UP_MS = 12_000;

  private final String provider;
  private final int seconds;
  private final int rounds;

  private BrokerMessageProgram(String provider, int seconds, int rounds) {
    this.provider = provider;
    this.seconds = seconds;
    this.rounds = rounds;
  }

  /** Prints one line of comma-separated values per rate, round and node. */
  public static void main(String[] arguments) throws Exception {
    BrokerMessageProgram program =
        new BrokerMessageProgram(
            arguments[0], Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
    List<Integer> rates = Stream.of(arguments[3].split(",")).map(Integer::valueOf).toList();
    List<String> launchers = List.of(arguments).subList(4, arguments.length);
    System.out.println(
        "provider,rate,round,node,messages,cpu_us,switches,p50_us,p99_us,cpu_us_by_thread");
    program.run(
        rates, launchers.isEmpty() ? List.of(SluiceProcess.LAUNCHER.toString()) : launchers);
    System.exit(0);
  }

  private void run(List<Integer> rates, List<String> launchers) throws Exception {
    Path folder = Files.createTempDirectory("ingress");
    int port = FreePorts.one();
    List<NodeProcess> nodes = new ArrayList<>();
    try (AutoCloseable broker = broker(port)) {
      for (String launcher : launchers) {
        nodes.add(NodeProcess.start(folder, settings(url(broker, port)), List.of(launcher)));
      }
      for (int rate : rates) {
        measure(rate, url(broker, port), nodes);
      }
    } finally {
      nodes.forEach(NodeProcess::close);
    }
  }

  // Not the broker of the tests, whose JVM does not optimize.
  private AutoCloseable broker(int port) {
    if (provider.equals("classic")) {
      return ClassicBroker.start();
    }
    SluiceProcess broker = SluiceProcess.start("broker", "--port", String.valueOf(port));
    broker.awaitLine("BROKER READY .*");
    return broker;
  }

  private static String url(AutoCloseable broker, int port) {
    return broker instanceof TestBroker test ? test.url() : "tcp://127.0.0.1:" + port;
  }

  private String settings(String url) {
    return """
    broker: {provider: %s, url: "%s", linger: 500ms}
    limits.per-address: {connections: 0, handshake-rate: 0, subscriptions: 0, topics: 0}
    """
        .formatted(provider, url);
  }

  private void measure(int rate, String url, List<NodeProcess> nodes) throws Exception {
    double perTopic = (double) rate / TOPICS;
    try (SluiceProcess feed =
        SluiceProcess.start(
            "feed",
            "--broker",
            url,
            "--provider",
            provider,
            "--topics",
            String.valueOf(TOPICS),
            "--bytes",
            String.valueOf(BYTES),
            "--rate",
            String.valueOf(perTopic))) {
      for (int round = 0; round <= rounds; round++) {
        for (int node = 0; node < nodes.size(); node++) {
          measure(rate, round, node, nodes.get(node));
        }
      }
      feed.sigterm();
    }
  }

  private void measure(int rate, int round, int number, NodeProcess node) throws Exception {
    boolean warmUp = round == 0;
    try (LatencyClients clients =
        new LatencyClients(node.host(), node.port(), TOPICS, TOPICS, PREFIX)) {
      Thread.sleep(warmUp ? WARM_UP_MS : SETTLE_MS);
      clients.takeLatencies();
      ThreadCosts before = ThreadCosts.of(node.pid());
      double cpu = ProcessTime.cpuSeconds(node.pid());
      if (warmUp) {
        return;
      }
      Thread.sleep(seconds * 1_000L);
      Histogram latencies = clients.takeLatencies();
      double used = ProcessTime.cpuSeconds(node.pid()) - cpu;
      print(rate, round, number, latencies, used, ThreadCosts.of(node.pid()).since(before));
    }
  }

  private void print(
      int rate, int round, int node, Histogram latencies, double cpu, ThreadCosts costs)
      throws IOException {
    long messages = Math.max(1, latencies.getTotalCount());
    System.out.printf(
        Locale.ROOT,
        "%s,%d,%d,%d,%d,%.1f,%.2f,%d,%d,%s%n",
        provider,
        rate,
        round,
        node,
        latencies.getTotalCount(),
        cpu * 1e6 / messages,
        (double) costs.total().switches() / messages,
        latencies.getValueAtPercentile(50),
        latencies.getValueAtPercentile(99),
        byThread(costs, messages));
  }

  /** Returns the groups of threads with the highest costs: CPU time and switches per message. */
  private static String byThread(ThreadCosts costs, long messages) {
    return costs.groups().entrySet().stream()
        .filter(group -> group.getValue().cpuNs() > messages * 200)
        .sorted(
            Map.Entry.<String, ThreadCosts.Cost>comparingByValue(
                    (a, b) -> Long.compare(a.cpuNs(), b.cpuNs()))
                .reversed())
        .map(
            group ->
                String.format(
                    Locale.ROOT,
                    "%s %.1f/%.2f",
                    group.getKey(),
                    group.getValue().cpuNs() / 1e3 / messages,
                    (double) group.getValue().switches() / messages))
        .reduce((a, b) -> a + "; " + b)
        .orElse("");
  }
}
