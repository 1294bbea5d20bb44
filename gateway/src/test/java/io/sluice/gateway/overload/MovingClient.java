package io.sluice.gateway.overload;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.clients.MessageListener;
import io.sluice.gateway.clients.ResumingClient;
import java.io.UncheckedIOException;

/**
 * Client of one numbered topic that follows docs/PROTOCOL.md, section 8, when it changes nodes. It
 * counts messages that are missing without a report, and duplicates. One thread reads; any thread
 * may call the getters.
 */
final class MovingClient implements MessageListener, AutoCloseable {
  private final String topic;
  private final TestNode next;
  private final ResumingClient client;
  private final Thread thread;

  private boolean begun;
  private volatile boolean closed;
  private volatile Throwable failure;

  private volatile long last;
  private volatile long lastTimeMs;
  private volatile long caughtUpMs;

  /** Set if a gap was reported since the latest message. */
  private boolean gapReported;

  /** Set when the application starts again: messages may be repeated. */
  private boolean anew;

  private volatile long lost;
  private volatile long duplicates;
  private volatile int gaps;
  private volatile int recovered;
  private volatile int notRecovered;

  /**
   * Connects to a node and subscribes. Returns when the subscription is confirmed.
   *
   * @param next node to change to when the connection ends or its node drains
   */
  MovingClient(String topic, TestNode node, TestNode next) {
    this.topic = topic;
    this.next = next;
    this.client = new ResumingClient(topic, this);
    enter(node);
    this.thread = new Thread(this::run, "client of " + topic);
    thread.setDaemon(true);
    thread.start();
  }

  private void enter(TestNode node) {
    JsonNode answer = client.enter(node, ResumingClient.ALL_IDS);
    if (answer.has("recovered")) {
      countAnswer(answer.get("recovered").asBoolean());
    }
  }

  private void countAnswer(boolean isRecovered) {
    recovered += isRecovered ? 1 : 0;
    notRecovered += isRecovered ? 0 : 1;
  }

  private void run() {
    try {
      while (!closed) {
        JsonNode frame;
        try {
          frame = client.read();
        } catch (AssertionError | UncheckedIOException e) {
          changeNode(); // the connection was cut, or its node closed it
          continue;
        }
        onFrame(frame);
      }
    } catch (RuntimeException | AssertionError e) {
      if (!closed) {
        failure = e;
      }
    }
  }

  private void onFrame(JsonNode frame) {
    switch (frame.get("type").asText()) {
      case "caught-up" -> caughtUpMs = frame.get("time").asLong();
      case "draining" -> changeNode();
      default -> {
        // handled by the client
      }
    }
  }

  private void changeNode() {
    if (!closed) {
      enter(next);
    }
  }

  @Override
  public void onMessage(JsonNode message) {
    lastTimeMs = message.get("time").asLong();
    long number = NumberedPublisher.number(message.get("payload").asText());
    if (begun && !anew) {
      compare(number);
    }
    last = begun && !anew ? Math.max(last, number) : number;
    begun = true;
    anew = false;
    gapReported = false;
  }

  private void compare(long number) {
    if (number <= last) {
      duplicates++;
    } else if (number > last + 1 && !gapReported) {
      lost += number - last - 1;
    }
  }

  @Override
  public void onGap(String reason) {
    gaps++;
    gapReported = true;
    anew |= reason.equals("not-recovered") || reason.equals("snapshot-cut");
  }

  /** Cuts the connection. */
  void cut() {
    client.cut();
  }

  String topic() {
    return topic;
  }

  /** Returns the number of the latest message. */
  long last() {
    return last;
  }

  /** Returns the difference between the latest {@code caught-up} and the latest message. */
  long overtakenMs() {
    return caughtUpMs - lastTimeMs;
  }

  /** Returns the age of the latest message; 0 before the first one. */
  long lagMs() {
    long timeMs = lastTimeMs;
    return timeMs == 0 ? 0 : System.currentTimeMillis() - timeMs;
  }

  /** Returns the number of messages that are missing without a gap or {@code "recovered":false}. */
  long lost() {
    return lost;
  }

  /** Returns the number of messages that were repeated or out of order. */
  long duplicates() {
    return duplicates;
  }

  /** Returns the number of reported gaps, including {@code "recovered":false}. */
  int gaps() {
    return gaps;
  }

  int recovered() {
    return recovered;
  }

  int notRecovered() {
    return notRecovered;
  }

  /** Returns whether the subscription was confirmed by the node to change to. */
  boolean hasMoved() {
    return recovered + notRecovered > 0;
  }

  /** Rethrows a failure of its thread. */
  void check() {
    if (failure != null) {
      throw new AssertionError("a client of " + topic + " failed", failure);
    }
  }

  @Override
  public void close() {
    closed = true;
    client.close();
  }
}
