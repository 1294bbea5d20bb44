package io.sluice.gateway.queues;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.testkit.RawWebSocket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;

/**
 * Process that consumes a queue over one WebSocket at a time and acknowledges its deliveries. It
 * records each delivery before its acknowledgement, and each confirmed acknowledgement. After a
 * failure it connects to the next address. Single-threaded.
 */
final class QueueClient {
  private static final long RETRY_NS = 50_000_000;
  private static final Duration READ_TIMEOUT = Duration.ofSeconds(60);

  private final List<String> addresses;
  private final String queue;
  private final int credit;

  /** Number of deliveries that one acknowledgement covers at least. */
  private final int batch;

  private final DeliveryRecord.Writer records;

  /** Deliveries that no acknowledgement covers yet. */
  private final Queue<Long> unacknowledged = new ArrayDeque<>();

  /** Deliveries of the acknowledgement that is not answered yet; null if there is none. */
  private List<Long> acknowledged;

  private long lastTag;
  private long ref = 1;

  private QueueClient(
      List<String> addresses, String queue, int credit, int batch, DeliveryRecord.Writer records) {
    this.addresses = addresses;
    this.queue = queue;
    this.credit = credit;
    this.batch = batch;
    this.records = records;
  }

  /**
   * Runs until the process is killed.
   *
   * @param arguments file for the records, queue, credit, number of deliveries per acknowledgement,
   *     and addresses of nodes as host:port
   */
  public static void main(String[] arguments) throws IOException {
    List<String> all = List.of(arguments);
    try (DeliveryRecord.Writer records = DeliveryRecord.Writer.open(Path.of(all.get(0)))) {
      int credit = Integer.parseInt(all.get(2));
      int batch = Integer.parseInt(all.get(3));
      new QueueClient(all.subList(4, all.size()), all.get(1), credit, batch, records).run();
    }
  }

  private void run() throws IOException {
    for (int attempt = 0; ; attempt++) {
      String address = addresses.get(attempt % addresses.size());
      try (RawWebSocket socket = open(address)) {
        consume(socket);
      } catch (UncheckedIOException | AssertionError e) {
        LockSupport.parkNanos(RETRY_NS); // the node or the broker is not available
      }
    }
  }

  private static RawWebSocket open(String address) {
    int colon = address.lastIndexOf(':');
    int port = Integer.parseInt(address.substring(colon + 1));
    return RawWebSocket.to(address.substring(0, colon), port, "/ws").timeout(READ_TIMEOUT).open();
  }

  private void consume(RawWebSocket socket) throws IOException {
    unacknowledged.clear();
    acknowledged = null;
    socket.text(
        "{\"type\":\"consume\",\"ref\":1,\"queue\":\"%s\",\"credit\":%d}".formatted(queue, credit));
    while (true) {
      JsonNode frame = socket.readJson();
      switch (frame.path("type").asText()) {
        case "consuming" -> records.connected();
        case "delivery" -> onDelivery(frame);
        case "settled" -> onSettled();
        case "released" -> onReleased();
        case "error" -> onError(frame);
        default -> {}
      }
      if (acknowledged == null && unacknowledged.size() >= batch) {
        acknowledge(socket);
      }
    }
  }

  private void onDelivery(JsonNode frame) throws IOException {
    long number = frame.get("payload").asLong();
    lastTag = frame.get("tag").asLong();
    records.delivered(number, frame.has("redelivered"));
    unacknowledged.add(number);
  }

  private void acknowledge(RawWebSocket socket) {
    acknowledged = new ArrayList<>(unacknowledged);
    unacknowledged.clear();
    socket.text(
        "{\"type\":\"ack\",\"ref\":%d,\"subscription\":1,\"tag\":%d,\"upTo\":true}"
            .formatted(++ref, lastTag));
  }

  private void onSettled() throws IOException {
    if (acknowledged == null) {
      return; // the acknowledgement was overtaken by the loss of the broker
    }
    for (long number : acknowledged) {
      records.settled(number);
    }
    acknowledged = null;
  }

  // The broker delivers all of them again.
  private void onReleased() {
    unacknowledged.clear();
    acknowledged = null;
  }

  private void onError(JsonNode frame) {
    String code = frame.path("code").asText();
    if (!code.equals("not-pending") && !code.equals("settle-failed")) {
      throw new AssertionError(frame.toString());
    }
    acknowledged = null;
  }
}
