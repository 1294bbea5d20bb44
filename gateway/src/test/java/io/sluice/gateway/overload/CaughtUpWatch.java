package io.sluice.gateway.overload;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.TestNode;
import io.sluice.testkit.RawWebSocket;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * Client that compares every live message with the {@code caught-up} before it on its connection:
 * none may be of a message that the broker had accepted before the time of that frame. One thread
 * reads; any thread may ask.
 */
final class CaughtUpWatch implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private final List<String> topics;
  private final Function<String, NumberedPublisher> publishers;
  private final RawWebSocket socket;
  private final Thread thread;
  private volatile boolean closed;
  private volatile Throwable failure;
  private volatile long caughtUpMs;
  private volatile long caughtUps;
  private volatile long messages;
  private volatile long last;
  private volatile long lagMs;
  private volatile long late;
  private volatile long latestMs;

  /**
   * Connects and subscribes; returns when all subscriptions are answered.
   *
   * @param publishers returns the publisher of a topic
   */
  CaughtUpWatch(
      TestNode node, List<String> topics, Function<String, NumberedPublisher> publishers) {
    this.topics = List.copyOf(topics);
    this.publishers = publishers;
    socket = node.request().timeout(PATIENCE).open();
    for (int i = 0; i < topics.size(); i++) {
      socket.subscribe(i + 1, topics.get(i));
    }
    thread = new Thread(this::run, "watch of " + topics);
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try {
      while (!closed) {
        onFrame(socket.readJson());
      }
    } catch (UncheckedIOException | AssertionError e) {
      if (!closed) {
        failure = e;
      }
    }
  }

  private void onFrame(JsonNode frame) {
    switch (frame.get("type").asText()) {
      case "caught-up" -> {
        caughtUpMs = frame.get("time").asLong();
        caughtUps++;
      }
      case "message" -> onMessage(frame);
      default -> {
        // gaps stand in the place of messages that did not come in time
      }
    }
  }

  private void onMessage(JsonNode message) {
    String topic = message.get("topic").asText();
    long number = NumberedPublisher.number(message.get("payload").asText());
    messages++;
    last = number;
    lagMs = System.currentTimeMillis() - message.get("time").asLong();
    // Later than the broker's accept time, which makes this test forgiving, never wrong.
    long acceptedMs = publishers.apply(topic).acceptedMs(topic, number);
    if (acceptedMs < caughtUpMs) {
      late++;
      latestMs = Math.max(latestMs, caughtUpMs - acceptedMs);
    }
  }

  /** Messages that came after a {@code caught-up} with a time at which the broker had them. */
  long late() {
    return late;
  }

  /** The time of the latest {@code caught-up}. */
  long caughtUpMs() {
    return caughtUpMs;
  }

  /** The number of the latest message, of whichever topic. */
  long last() {
    return last;
  }

  /** How old the latest message was when it came. */
  long lagMs() {
    return lagMs;
  }

  /** Fails if its thread has failed. */
  void check() {
    if (failure != null) {
      throw new AssertionError("the client of " + topics + " failed", failure);
    }
  }

  @Override
  public String toString() {
    return "%s: %d messages, %d caught-up; %d messages late, by up to %d ms"
        .formatted(topics, messages, caughtUps, late, latestMs);
  }

  @Override
  public void close() {
    closed = true;
    socket.close();
  }
}
