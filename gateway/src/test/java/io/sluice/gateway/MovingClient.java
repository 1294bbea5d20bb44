package io.sluice.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.testkit.BinaryMessage;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import java.io.UncheckedIOException;
import java.util.ArrayList;
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

/**
 * Client of one topic of a source with offsets, which moves between nodes at random times, with
 * either encoding. It ends when it has as many messages as are stored, and requires that each
 * position is recovered. Runs on one thread.
 */
final class MovingClient implements Runnable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int PARTITION_DIGITS = 4;
  private static final long LOW_BITS = 0xffff_ffffL;

  private static final ScheduledExecutorService CLOSES =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "moving-clients");
            thread.setDaemon(true);
            return thread;
          });

  private final List<TestNode> nodes;
  private final String topic;
  private final Random random;
  private final MessageFlow flow;
  private final int maxStayMs;
  private final List<String> received = new ArrayList<>();
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

  MovingClient(List<TestNode> nodes, String topic, int seed, MessageFlow flow, int maxStayMs) {
    this.nodes = nodes;
    this.topic = topic;
    this.random = new Random(seed);
    this.flow = flow;
    this.maxStayMs = maxStayMs;
  }

  /** Waits until it has subscribed for the first time. */
  void awaitFirst() throws InterruptedException {
    if (!first.await(1, TimeUnit.MINUTES)) {
      throw new AssertionError("a client is not subscribed");
    }
  }

  /** Returns the ids of all messages, after its end. */
  List<String> received() {
    return received;
  }

  /** Returns the number of positions that were recovered. */
  int moves() {
    return moves;
  }

  @Override
  public void run() {
    while (!isComplete()) {
      TestNode node = nodes.get(random.nextInt(nodes.size()));
      try (RawWebSocket client = random.nextBoolean() ? node.json() : node.binary()) {
        ScheduledFuture<?> move =
            CLOSES.schedule(client::close, 1 + random.nextInt(maxStayMs), TimeUnit.MILLISECONDS);
        stay(client);
        move.cancel(false);
      } catch (UncheckedIOException e) {
        // closed: the client moves
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(maxStayMs / 2)));
    }
  }

  private boolean isComplete() {
    return flow.stored() >= 0 && received.size() >= flow.stored();
  }

  private void stay(RawWebSocket client) {
    ObjectNode frame = JSON.createObjectNode();
    frame.put("type", "subscribe").put("ref", 1).put("topic", topic);
    if (epoch != null) {
      frame.set("from", position());
    }
    client.text(frame.toString());
    onSubscribed(client.await("subscribed"));
    while (!isComplete()) {
      onFrame(client.readMessage());
    }
  }

  private void onSubscribed(JsonNode subscribed) {
    if (epoch == null) {
      subscribed.path("ids").forEach(id -> record(id.asText()));
      since = subscribed.get("time").asLong();
      first.countDown();
    } else if (subscribed.get("recovered").asBoolean()) {
      moves++;
    } else {
      throw new AssertionError("not recovered: " + position() + " by " + subscribed);
    }
    answered = subscribed.get("epoch").asText();
    answer = subscribed.get("offset").asLong();
    replayed = subscribed.path("replay").asInt();
    if (!subscribed.has("replay")) {
      epoch = answered;
      offset = answer;
    }
  }

  private void onFrame(ServerFrame frame) {
    if (frame.opcode() == ClientFrame.BINARY) {
      BinaryMessage message = BinaryMessage.read(frame.payload());
      onMessage(offset(message.offset()), "%016x".formatted(message.id()));
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
    if (type.equals("gap") || type.equals("error")) {
      throw new AssertionError(frame.toString());
    }
    if (type.equals("message")) {
      onMessage(frame.get("offset").asLong(), frame.get("id").asText());
    }
  }

  private void onMessage(long at, String id) {
    epoch = answered;
    offset = at;
    replayed--;
    received.add(id);
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
