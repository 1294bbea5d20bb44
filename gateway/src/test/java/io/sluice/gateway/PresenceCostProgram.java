package io.sluice.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.cli.Sluice;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.Loopback;
import io.sluice.testkit.NodeProcess;
import io.sluice.testkit.ProcessTime;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures what it costs two nodes when many connected clients enter one topic at once. Arguments:
 * number of clients, and whether they watch.
 */
final class PresenceCostProgram {
  private static final String BYTES = "sluice_presence_messages_bytes_total";
  private static final String MESSAGES = "sluice_presence_messages_total";
  private static final String ROOM = "room.1";

  private PresenceCostProgram() {}

  public static void main(String[] arguments) throws Exception {
    int clients = Integer.parseInt(arguments[0]);
    boolean watch = Boolean.parseBoolean(arguments[1]);
    Path folder = Files.createTempDirectory("presence");
    List<Integer> ports = FreePorts.some(2);
    try (TestBroker broker = TestBroker.start("artemis");
        NodeProcess first = start(folder, broker, ports, 0);
        NodeProcess second = start(folder, broker, ports, 1);
        RawWebSocket watcher = open(second)) {
      watcher.text(presence(",\"watch\":true"));
      while (watcher.await("present").has("partial")) {
        // the nodes have not exchanged their state yet
      }
      List<RawWebSocket> opened = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        RawWebSocket client = open(first);
        client.text("{\"type\":\"connect\"}");
        client.await("hello");
        opened.add(client);
      }
      measure(opened, watch, first, second, watcher);
      System.exit(0); // without 10,000 close frames
    }
  }

  private static void measure(
      List<RawWebSocket> clients,
      boolean watch,
      NodeProcess first,
      NodeProcess second,
      RawWebSocket watcher) {
    double bytes = first.metric(BYTES);
    double messages = first.metric(MESSAGES);
    double cpuFirst = ProcessTime.cpuSeconds(first.pid());
    double cpuSecond = ProcessTime.cpuSeconds(second.pid());
    long startNs = System.nanoTime();
    for (int i = 0; i < clients.size(); i++) {
      String members = ",\"enter\":true,\"watch\":%s,\"key\":\"%d\"".formatted(watch, i);
      clients.get(i).text(presence(members));
    }
    long sentMs = (System.nanoTime() - startNs) / 1_000_000;
    int frames = 0;
    JsonNode frame;
    do {
      frame = watcher.await("present");
      frames++;
    } while (frame.get("count").asInt() < clients.size());
    long takenMs = (System.nanoTime() - startNs) / 1_000_000;
    System.out.printf(
        "clients %d, watch %s: sent in %d ms, complete at the other node after %d ms in %d frames;"
            + " CPU %.2f s and %.2f s, %.0f messages of %.0f bytes between the nodes%n",
        clients.size(),
        watch,
        sentMs,
        takenMs,
        frames,
        ProcessTime.cpuSeconds(first.pid()) - cpuFirst,
        ProcessTime.cpuSeconds(second.pid()) - cpuSecond,
        first.metric(MESSAGES) - messages,
        first.metric(BYTES) - bytes);
  }

  private static String presence(String members) {
    return "{\"type\":\"presence\",\"ref\":7,\"topic\":\"" + ROOM + "\"" + members + "}";
  }

  private static RawWebSocket open(NodeProcess node) {
    return RawWebSocket.to(node.host(), node.port(), "/ws").timeout(Duration.ofMinutes(2)).open();
  }

  private static NodeProcess start(
      Path folder, TestBroker broker, List<Integer> ports, int number) {
    String settings =
        """
        node.name: presence-%d
        broker.provider: %s
        broker.url: "%s"
        cluster.name: presence
        cluster.host: 127.0.0.1
        cluster.port: %d
        cluster.nodes: ["127.0.0.1:%d", "127.0.0.1:%d"]
        topics.presence: ["room.*"]
        limits.per-address: {connections: 0, handshake-rate: 0, subscriptions: 0, topics: 0}
        """
            .formatted(
                number,
                broker.provider(),
                broker.url(),
                ports.get(number),
                ports.get(0),
                ports.get(1));
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classPath = System.getProperty("java.class.path");
    return NodeProcess.start(
        List.of(),
        Loopback.address(),
        new NodeProcess.Ports(0, 0),
        folder,
        settings,
        List.of(java, "-cp", classPath, Sluice.class.getName()));
  }
}
