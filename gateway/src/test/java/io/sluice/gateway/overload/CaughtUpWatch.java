package io.sluice.gateway.overload;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.TestNode;
import io.sluice.testkit.RawWebSocket;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * Client that compares each live message with the {@code caught-up} before it on its connection.
 * The broker must not have accepted the message before the time of that frame. One thread reads;
 * any thread may call the getters.
 */
final class CaughtUpWatch implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofMinutes(3);

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
   * Connects and subscribes. Returns when all subscriptions are confirmed.
   *
   * @param publishers returns the publisher of a topic
   */
  CaughtUpWatch(
      TestNode node, List<String> topics, Function<String, NumberedPublisher> publishers) {
    this.topics = List.copyOf(topics);
    this.publishers = publishers;
    socket = node.request().timeout(TIMEOUT).open();
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
        // gaps replace messages that did not arrive in time
      }
    }
  }

  private void onMessage(JsonNode message) {
    String topic = message.get("topic").asText();
    long number = NumberedPublisher.number(message.get("payload").asText());
    messages++;
    last = number;
    lagMs = System.currentTimeMillis() - message.get("time").asLong();
    // This time is after the broker's accept time, so the test may miss a fault but reports none
    // falsely.
    long acceptedMs = publishers.apply(topic).acceptedMs(topic, number);
    if (acceptedMs < caughtUpMs) {
      late++;
      latestMs = Math.max(latestMs, caughtUpMs - acceptedMs);
    }
  }

  /**
   * Returns the number of messages after a {@code caught-up} with a time at which the broker had
   * accepted them.
   */
  long late() {
    return late;
  }

  /** Returns the time of the latest {@code caught-up}. */
  long caughtUpMs() {
    return caughtUpMs;
  }

  /** Returns the number of the latest message of any topic. */
  long last() {
    return last;
  }

  /** Returns the age of the latest message at its arrival. */
  long lagMs() {
    return lagMs;
  }

  /** Rethrows a failure of its thread. */
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
