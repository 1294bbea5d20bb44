package io.sluice.gateway.ingress;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gateway.SourcePublisher;
import io.sluice.gateway.SourceServer;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.CommandResult;
import io.sluice.testkit.NodeProcess;
import io.sluice.testkit.ProcessTime;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.SluiceProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Benchmark of sources: each measurement with JMS, Kafka and NATS in turn, in one run. {@code cost}
 * measures the CPU time of a node per frame and latencies, {@code memory} that of a node per Kafka
 * partition, {@code catch-up} the rate at which a client receives what it has missed, and the
 * latency of others beside it.
 *
 * <p>Arguments: names of measurements separated by commas, seconds per round, rounds, and
 * optionally the launcher of the nodes.
 */
public final class SourceProgram {
  private static final List<String> SOURCES = List.of("artemis", "kafka", "nats");
  private static final int CLIENTS = 1_000;
  private static final int RATE = 10;
  private static final int BYTES = 512;
  private static final int SETTLE_MS = 2_000;
  private static final int WARM_UP_MS = 8_000;
  private static final String LIVE = "live.";
  private static final String MISSED = "missed.0";
  private static final int READERS = 500;
  private static final int MISSED_MESSAGES = 15_000;
  private static final int MISSED_BYTES = 1_000;
  private static final int MISSED_RATE = 5_000;
  private static final int MISSED_AT_ONCE = 50;
  private static final Pattern HEAP = Pattern.compile("used (\\d+)K");
  private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+)");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final long seconds;
  private final int rounds;
  private final String launcher;
  private final Path folder;

  /** Values of JMS by measurement, case and round, and the latest one of each measurement. */
  private final Map<String, Double> ofJms = new HashMap<>();

  private SourceProgram(long seconds, int rounds, String launcher) throws Exception {
    this.seconds = seconds;
    this.rounds = rounds;
    this.launcher = launcher;
    this.folder = Files.createTempDirectory("sources");
  }

  /** Prints one line of comma-separated values per value. */
  public static void main(String[] arguments) throws Exception {
    SourceProgram program =
        new SourceProgram(
            Long.parseLong(arguments[1]),
            Integer.parseInt(arguments[2]),
            arguments.length > 3 ? arguments[3] : SluiceProcess.LAUNCHER.toString());
    System.out.println("measurement,source,case,round,value,unit,ratio_to_jms");
    for (String name : arguments[0].split(",")) {
      switch (name) {
        case "cost" -> program.cost();
        case "memory" -> program.memory();
        case "catch-up" -> program.catchUp();
        default -> throw new IllegalArgumentException(name);
      }
    }
    System.exit(0);
  }

  private void print(String what, String source, String of, int round, double value, String unit) {
    String key = what + of + round;
    if (source.equals(SOURCES.get(0))) {
      ofJms.put(key, value);
      ofJms.put(what, value);
    }
    double ratio = value / ofJms.getOrDefault(key, ofJms.get(what));
    System.out.printf(
        Locale.ROOT, "%s,%s,%s,%d,%.2f,%s,%.2f%n", what, source, of, round, value, unit, ratio);
  }

  /** Server of a source with a node. Bound to one thread. */
  private record Scene(SourceServer server, NodeProcess node) implements AutoCloseable {
    @Override
    public void close() {
      node.close();
      server.close();
    }

    LatencyClients clients(int clients, int topics) throws Exception {
      return new LatencyClients(node.host(), node.port(), clients, topics, LIVE);
    }

    RawWebSocket client(String protocol) {
      return RawWebSocket.to(node.host(), node.port(), "/ws").subprotocols(protocol).open();
    }
  }

  private static List<String> live(int topics) {
    return IntStream.range(0, topics).mapToObj(i -> LIVE + i).toList();
  }

  private SourceServer server(String source) throws Exception {
    return SourceServer.start(source, Files.createTempDirectory(folder, source));
  }

  private Scene scene(SourceServer server, String keys) {
    String limits =
        "limits.per-address: {connections: 0, handshake-rate: 0, subscriptions: 0, topics: 0}\n";
    NodeProcess node = NodeProcess.start(folder, server.yaml() + limits + keys, List.of(launcher));
    return new Scene(server, node);
  }

  /** Publisher of all live topics at the rate, until it is closed. */
  private static final class Feed implements AutoCloseable {
    private volatile boolean stopped;

    void start(SourceServer server, int topics) throws Exception {
      SourcePublisher publisher = SourcePublisher.open(server.kind(), server.url());
      Thread thread = new Thread(() -> run(publisher, topics), "feed");
      thread.setDaemon(true);
      thread.start();
    }

    private void run(SourcePublisher publisher, int topics) {
      long intervalNs = TimeUnit.SECONDS.toNanos(1) / (RATE * topics);
      long dueNs = System.nanoTime();
      try {
        for (int i = 0; !stopped; i++) {
          awaitTime(dueNs);
          publisher.text(LIVE + i % topics, text(BYTES));
          dueNs += intervalNs;
        }
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() {
      stopped = true;
    }
  }

  private static void awaitTime(long dueNs) {
    for (long left = dueNs - System.nanoTime(); left > 0; left = dueNs - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private static String text(int length) {
    Instant now = Instant.now();
    String stamp = "TS=" + (now.getEpochSecond() * 1_000_000_000 + now.getNano()) + " ";
    return stamp + "x".repeat(length - stamp.length());
  }

  // All servers and nodes run during the whole measurement, so that rounds alternate.
  private void cost() throws Exception {
    List<Scene> scenes = new ArrayList<>();
    try {
      for (String source : SOURCES) {
        scenes.add(scene(server(source).create(live(100)), ""));
      }
      for (int topics : new int[] {1, 100}) {
        for (int round = 0; round <= rounds; round++) {
          for (Scene scene : scenes) {
            cost(scene, topics, round);
          }
        }
      }
    } finally {
      for (Scene scene : scenes) {
        scene.close();
      }
    }
  }

  private void cost(Scene scene, int topics, int round) throws Exception {
    try (LatencyClients clients = scene.clients(CLIENTS, topics);
        Feed feed = new Feed()) {
      feed.start(scene.server(), topics);
      Thread.sleep(round == 0 ? WARM_UP_MS : SETTLE_MS);
      clients.takeLatencies();
      double before = ProcessTime.cpuSeconds(scene.node().pid());
      Thread.sleep(TimeUnit.SECONDS.toMillis(seconds));
      Histogram latencies = clients.takeLatencies();
      double cpu = ProcessTime.cpuSeconds(scene.node().pid()) - before;
      String of = topics == 1 ? "1 topic" : topics + " topics";
      String source = scene.server().kind();
      long frames = latencies.getTotalCount();
      if (round > 0) {
        print("frames", source, of, round, (double) frames / seconds, "1/s");
        print("cpu-per-frame", source, of, round, cpu * 1e6 / frames, "us");
        print("latency-p50", source, of, round, percentileMs(latencies, 50), "ms");
        print("latency-p99", source, of, round, percentileMs(latencies, 99), "ms");
      }
    }
  }

  private static double percentileMs(Histogram latencies, double percentile) {
    return latencies.getValueAtPercentile(percentile) / 1e3;
  }

  private void memory() throws Exception {
    try (SourceServer jms = server(SOURCES.get(0)).create(live(1));
        SourceServer kafka = server("kafka")) {
      for (int partitions : new int[] {1, 100, 1_000}) {
        kafka.create(List.of(LIVE + partitions), partitions);
      }
      for (int partitions : new int[] {0, 1}) {
        memory(jms, partitions);
      }
      for (int partitions : new int[] {0, 1, 100, 1_000}) {
        memory(kafka, partitions);
      }
    }
  }

  private void memory(SourceServer server, int partitions) throws Exception {
    String topic = LIVE + (server.isJms() ? 0 : partitions);
    try (NodeProcess node = scene(server, "").node();
        RawWebSocket client = RawWebSocket.to(node.host(), node.port(), "/ws").open()) {
      if (partitions > 0) {
        client.subscribe(1, topic);
        SourcePublisher publisher = SourcePublisher.open(server.kind(), server.url());
        for (int i = 0; i < 10 * partitions; i++) {
          publisher.text(topic, text(BYTES));
        }
        client.payloads(10 * partitions);
      }
      String of = partitions + " partitions";
      run("GC.run", node);
      Thread.sleep(SETTLE_MS);
      run("GC.run", node);
      double heap = number(HEAP, run("GC.heap_info", node));
      double resident =
          number(RESIDENT, Files.readString(Path.of("/proc", "" + node.pid(), "status")));
      print("heap", server.kind(), of, 1, heap / 1024, "MiB");
      print("resident", server.kind(), of, 1, resident / 1024, "MiB");
    }
  }

  private static String run(String command, NodeProcess node) throws Exception {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    CommandResult result =
        CommandResult.of(Map.of(), List.of(jcmd.toString(), "" + node.pid(), command));
    return result.output();
  }

  private static double number(Pattern pattern, String text) {
    Matcher found = pattern.matcher(text);
    if (!found.find()) {
      throw new AssertionError(text);
    }
    return Double.parseDouble(found.group(1));
  }

  private void catchUp() throws Exception {
    for (String source : SOURCES) {
      SourceServer server = server(source).create(List.of(LIVE + 0, MISSED));
      // The log of a JMS node is all that it has; the others read the messages back.
      int log = server.isJms() ? 2 * MISSED_MESSAGES : 100;
      String keys =
          "history: {messages: %d, bytes: 64MiB, read-back: %d}\n"
              .formatted(log, 2 * MISSED_MESSAGES);
      try (Scene scene = scene(server, keys)) {
        catchUp(scene);
      }
    }
  }

  private void catchUp(Scene scene) throws Exception {
    String source = scene.server().kind();
    try (RawWebSocket live = scene.client(Encoding.JSON_SUBPROTOCOL)) {
      JsonNode position = fall(scene, live);
      for (int round = 0; round <= rounds; round++) {
        double alone = receiveMissed(scene, position);
        if (round > 0) {
          print("catch-up", source, "alone", round, alone, "MB/s");
        }
      }
      try (LatencyClients readers = scene.clients(READERS, 1);
          Feed feed = new Feed()) {
        feed.start(scene.server(), 1);
        Thread.sleep(WARM_UP_MS);
        for (int round = 1; round <= rounds; round++) {
          readers.takeLatencies();
          Thread.sleep(TimeUnit.SECONDS.toMillis(seconds));
          printReaders(source, "alone", round, readers);
          double rate = 0;
          int count = 0;
          long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
          while (System.nanoTime() < endNs) {
            rate += receiveMissed(scene, position);
            count++;
          }
          printReaders(source, "beside catch-ups", round, readers);
          print("catch-up", source, "beside readers", round, rate / count, "MB/s");
        }
      }
    }
  }

  private void printReaders(String source, String of, int round, LatencyClients readers) {
    Histogram latencies = readers.takeLatencies();
    print("readers-p50", source, of, round, percentileMs(latencies, 50), "ms");
    print("readers-p99", source, of, round, percentileMs(latencies, 99), "ms");
  }

  /** Publishes what others miss, and returns the position before it. */
  private static JsonNode fall(Scene scene, RawWebSocket live) throws Exception {
    SourcePublisher publisher = SourcePublisher.open(scene.server().kind(), scene.server().url());
    JsonNode subscribed = live.subscribe(1, MISSED);
    publisher.text(MISSED, text(MISSED_BYTES));
    JsonNode first = live.await("message");
    ObjectNode position = JSON.createObjectNode();
    position.set("epoch", subscribed.get("epoch"));
    position.set("offset", first.get("offset"));
    position.set("since", subscribed.get("time"));
    position.putArray("ids").add(first.get("id"));
    long dueNs = System.nanoTime();
    for (int sent = 0; sent < MISSED_MESSAGES; sent += MISSED_AT_ONCE) {
      awaitTime(dueNs);
      dueNs += TimeUnit.SECONDS.toNanos(1) * MISSED_AT_ONCE / MISSED_RATE;
      for (int i = 0; i < MISSED_AT_ONCE; i++) {
        publisher.text(MISSED, text(MISSED_BYTES));
      }
      live.payloads(MISSED_AT_ONCE);
    }
    return position;
  }

  /** Returns the rate of payloads of a client that resumes, in MB/s. */
  private static double receiveMissed(Scene scene, JsonNode position) throws Exception {
    try (RawWebSocket client = scene.client(Encoding.BINARY_SUBPROTOCOL)) {
      ObjectNode frame = JSON.createObjectNode();
      frame.put("type", "subscribe").put("ref", 1).put("topic", MISSED).set("from", position);
      long beginNs = System.nanoTime();
      client.text(frame.toString());
      JsonNode subscribed = client.await("subscribed");
      if (!subscribed.path("recovered").asBoolean()) {
        throw new AssertionError("not recovered: " + subscribed);
      }
      for (int received = 0; received < MISSED_MESSAGES; ) {
        received += client.readMessage().opcode() == ClientFrame.BINARY ? 1 : 0;
      }
      return 1e3 * MISSED_MESSAGES * MISSED_BYTES / (System.nanoTime() - beginNs);
    }
  }
}
