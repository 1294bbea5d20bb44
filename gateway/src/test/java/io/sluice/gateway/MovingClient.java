package io.sluice.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.BinaryMessage;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Client of one topic of a source with offsets, which moves between nodes at random times, with
 * either encoding. Runs on one thread.
 */
final class MovingClient implements Runnable {
  /** Rules for what a client receives. Bound to the client's thread. */
  interface Rules {
    /** Processes a message. */
    void onMessage(String id, String text);

    /**
     * Processes a notice that messages may be missing.
     *
     * @param repeats whether messages may be repeated as well
     */
    void onNotice(String frame, boolean repeats);

    /** Returns whether the client has all messages. Any thread. */
    boolean isComplete();
  }

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MAX_PAUSE_MS = 200;
  private static final int PARTITION_DIGITS = 4;
  private static final long LOW_BITS = 0xffff_ffffL;

  private static final ScheduledExecutorService CLOSES =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "moving-clients");
            thread.setDaemon(true);
            return thread;
          });

  /** Requests of a connection to each node. */
  private final List<Supplier<RawWebSocket.Request>> nodes;

  private final String topic;
  private final Random random;
  private final Rules rules;
  private final int maxStayMs;
  private final CountDownLatch first = new CountDownLatch(1);

  /** Highest id of each partition, by its digits. */
  private final Map<String, String> latest = new TreeMap<>();

  /** Epoch of the latest offset. */
  private String epoch;

  /** Epoch of the offsets after the latest answer. */
  private String answered;

  /** Offset of the latest answer, and messages of its replay that have not arrived. */
  private long answer;

  private int replayed;

  private long offset;
  private long since;
  private int moves;

  MovingClient(
      List<Supplier<RawWebSocket.Request>> nodes,
      String topic,
      int seed,
      Rules rules,
      int maxStayMs) {
    this.nodes = nodes;
    this.topic = topic;
    this.random = new Random(seed);
    this.rules = rules;
    this.maxStayMs = maxStayMs;
  }

  /** Waits until it has subscribed for the first time. */
  void awaitFirst() throws InterruptedException {
    if (!first.await(1, TimeUnit.MINUTES)) {
      throw new AssertionError("a client is not subscribed");
    }
  }

  /** Returns the number of positions that were recovered. */
  int moves() {
    return moves;
  }

  @Override
  public void run() {
    while (!rules.isComplete()) {
      Supplier<RawWebSocket.Request> node = nodes.get(random.nextInt(nodes.size()));
      String subprotocol =
          random.nextBoolean() ? Encoding.JSON_SUBPROTOCOL : Encoding.BINARY_SUBPROTOCOL;
      try (RawWebSocket client = node.get().subprotocols(subprotocol).open()) {
        ScheduledFuture<?> move =
            CLOSES.schedule(client::close, 1 + random.nextInt(maxStayMs), TimeUnit.MILLISECONDS);
        stay(client);
        move.cancel(false);
      } catch (UncheckedIOException | RawWebSocket.Ended e) {
        // closed by either side: the client moves
      }
      LockSupport.parkNanos(
          TimeUnit.MILLISECONDS.toNanos(random.nextInt(Math.min(maxStayMs, MAX_PAUSE_MS))));
    }
  }

  private void stay(RawWebSocket client) {
    ObjectNode frame = JSON.createObjectNode();
    frame.put("type", "subscribe").put("ref", 1).put("topic", topic);
    if (epoch != null) {
      frame.set("from", position());
    }
    client.text(frame.toString());
    onSubscribed(client.await("subscribed"));
    while (!rules.isComplete()) {
      onFrame(client.readMessage());
    }
  }

  private void onSubscribed(JsonNode subscribed) {
    boolean resumed = epoch != null && subscribed.get("recovered").asBoolean();
    if (resumed) {
      moves++;
    } else {
      if (epoch != null) {
        rules.onNotice("not recovered: " + position() + " by " + subscribed, true);
      }
      begin(subscribed);
      since = subscribed.get("time").asLong();
      first.countDown();
    }
    answered = subscribed.get("epoch").asText();
    answer = subscribed.get("offset").asLong();
    replayed = subscribed.path("replay").asInt();
    if (!resumed || !subscribed.has("replay")) {
      epoch = answered;
      offset = answer;
    }
  }

  private void onFrame(ServerFrame frame) {
    if (frame.opcode() == ClientFrame.BINARY) {
      BinaryMessage message = BinaryMessage.read(frame.payload());
      onMessage(offset(message.offset()), "%016x".formatted(message.id()), message.text());
    } else {
      onFrame(RawWebSocket.parse(frame.text()));
    }
  }

  // Of a replay: the largest one up to that of the answer. Live: the smallest one above the last.
  private long offset(long low) {
    return replayed > 0
        ? answer - (answer - low & LOW_BITS)
        : Math.max(answer, offset) + (low - Math.max(answer, offset) & LOW_BITS);
  }

  private void onFrame(JsonNode frame) {
    String type = frame.get("type").asText();
    if (type.equals("error")) {
      throw new AssertionError(frame.toString());
    }
    if (type.equals("gap")) {
      rules.onNotice(frame.toString(), false);
      onGap(frame);
    }
    if (type.equals("message")) {
      onMessage(
          frame.get("offset").asLong(), frame.get("id").asText(), frame.get("payload").asText());
    }
  }

  private void onGap(JsonNode gap) {
    offset = gap.get("offset").asLong();
    if (gap.has("epoch")) {
      answered = gap.get("epoch").asText();
      epoch = answered;
      begin(gap);
    }
  }

  /** Begins another stream. */
  private void begin(JsonNode frame) {
    latest.clear();
    frame.path("ids").forEach(id -> record(id.asText()));
  }

  private void onMessage(long at, String id, String text) {
    epoch = answered;
    offset = at;
    replayed--;
    rules.onMessage(id, text);
    record(id);
  }

  private void record(String id) {
    latest.merge(id.substring(0, PARTITION_DIGITS), id, (a, b) -> a.compareTo(b) > 0 ? a : b);
  }

  private ObjectNode position() {
    ObjectNode position = JSON.createObjectNode();
    position.put("epoch", epoch).put("offset", offset).put("since", since);
    if (!latest.isEmpty()) {
      ArrayNode ids = position.putArray("ids");
      latest.values().forEach(ids::add);
    }
    return position;
  }
}
