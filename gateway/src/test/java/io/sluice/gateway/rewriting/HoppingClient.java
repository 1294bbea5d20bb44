package io.sluice.gateway.rewriting;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.clients.MessageListener;
import io.sluice.gateway.clients.ResumingClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Client that moves between nodes at random, and fails if a message of {@link Numbers} is missing
 * or doubled without notice. Used by one thread at a time.
 */
final class HoppingClient implements MessageListener, AutoCloseable {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final int MAX_TRACE = 400;

  private final ResumingClient client;
  private final List<TestNode> nodes;
  private final Random random;
  private final long stayMs;
  private final List<Progress> progress;
  private final List<String> trace = new ArrayList<>();
  private long sinceMs;
  private long latestMs;
  private int notices;
  private int recovered;

  /** Received messages of one publisher. */
  private static final class Progress {
    private final Numbers numbers;

    /** Received numbers with the number of notices before them. */
    private final Map<Integer, Integer> received = new HashMap<>();

    /** Messages up to this number may be missing. */
    private int excused;

    /** True if the next message in order may follow any. */
    private boolean noticed;

    private int last;

    Progress(Numbers numbers) {
      this.numbers = numbers;
    }
  }

  /**
   * @param stayMs age of a position after which another node can recover it
   */
  HoppingClient(
      String topic, List<TestNode> nodes, List<Numbers> publishers, long seed, long stayMs) {
    this.client = new ResumingClient(topic, this);
    this.nodes = nodes;
    this.random = new Random(seed);
    this.stayMs = stayMs;
    this.progress = publishers.stream().map(Progress::new).toList();
  }

  /** Moves this number of times while it has the publishers publish. */
  Void hop(int hops) {
    for (int left = hops; left > 0; left--) {
      enter(nodes.get(random.nextInt(nodes.size())));
      int steps = random.nextInt(3);
      boolean stays = random.nextBoolean();
      while (steps-- > 0 || stays && latestMs - sinceMs <= stayMs) {
        Progress one = progress.get(random.nextInt(progress.size()));
        int number = one.numbers.request();
        while (one.last <= number) {
          read();
        }
      }
      if (random.nextBoolean()) { // the burst arrives while the client moves
        progress.get(random.nextInt(progress.size())).numbers.request();
      }
    }
    return null;
  }

  private void enter(TestNode next) {
    JsonNode position = client.position();
    JsonNode answer = client.enter(next, ResumingClient.ALL_IDS);
    note((next == nodes.get(0) ? "one " : "other ") + answer);
    if (notices == 0) {
      onGap("begin");
    }
    boolean elsewhere = position != null && !position.get("epoch").equals(answer.get("epoch"));
    recovered += elsewhere && answer.path("recovered").asBoolean() ? 1 : 0;
    sinceMs = answer.has("time") ? answer.get("time").asLong() : sinceMs;
  }

  private synchronized void note(String event) {
    trace.add(event);
    if (trace.size() > MAX_TRACE) {
      trace.remove(0);
    }
  }

  private void read() {
    JsonNode frame = client.read();
    if (frame.get("type").asText().equals("gap")) {
      sinceMs = frame.get("time").asLong();
      note(frame.toString());
    }
  }

  /** Reads until nothing is missing. */
  void readAll() {
    long end = System.nanoTime() + LONG.toNanos();
    while (!missing().isEmpty()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("missing without notice: " + missing());
      }
      read();
    }
  }

  private String missing() {
    return progress.stream()
        .flatMap(
            one ->
                IntStream.rangeClosed(one.excused + 1, one.numbers.started())
                    .filter(number -> !one.received.containsKey(number))
                    .mapToObj(number -> progress.indexOf(one) + " " + number))
        .collect(Collectors.joining(", "));
  }

  /** Returns the latest events. */
  @Override
  public synchronized String toString() {
    return "\n" + String.join("\n", trace);
  }

  @Override
  public void onMessage(JsonNode message) {
    String payload = message.get("payload").asText();
    note(payload + " " + message.get("id").asText() + " at " + message.get("offset"));
    latestMs = message.get("time").asLong();
    String[] parts = payload.split(" ");
    Progress one = progress.get(Integer.parseInt(parts[0]));
    int number = Integer.parseInt(parts[1]);
    Integer earlier = one.received.put(number, notices);
    if (earlier != null && earlier == notices) {
      throw new AssertionError("twice without notice: " + payload);
    }
    if (parts.length > 2) {
      // After a notice, messages from before it may arrive once more, not all of them.
      boolean follows = number > one.last && one.received.containsKey(Integer.parseInt(parts[2]));
      if (!one.noticed && !follows) {
        throw new AssertionError("not after " + one.last + ": " + payload);
      }
      one.noticed = false;
      one.last = number;
    }
  }

  @Override
  public void onGap(String reason) {
    notices++;
    note("notice " + reason);
    for (Progress one : progress) {
      one.noticed = true;
      one.excused = one.numbers.started();
    }
  }

  /** Returns how often a node has recovered a position of the other one. */
  int recovered() {
    return recovered;
  }

  @Override
  public void close() {
    client.close();
  }
}
