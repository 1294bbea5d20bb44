package io.sluice.gateway.overload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.clients.Continuity;
import io.sluice.gateway.clients.MessageListener;
import io.sluice.testkit.RawWebSocket;
import java.io.UncheckedIOException;
import java.time.Duration;

/**
 * Client of one numbered topic that follows docs/PROTOCOL.md, section 8, when it changes nodes. It
 * counts messages that are missing without a report, and duplicates. One thread reads; any thread
 * may call the getters.
 */
final class MovingClient implements MessageListener, AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofMinutes(3);

  private final String topic;
  private final TestNode next;
  private final Continuity continuity = new Continuity(null, this);
  private final Thread thread;

  /** Connection in use; replaced by the reading thread. */
  private volatile RawWebSocket socket;

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
    this.socket = enter(node);
    this.thread = new Thread(this::run, "client of " + topic);
    thread.setDaemon(true);
    thread.start();
  }

  private RawWebSocket enter(TestNode node) {
    RawWebSocket entered = node.request().timeout(TIMEOUT).open();
    entered.text("{\"type\":\"connect\"}");
    int overlap = entered.await("hello").at("/limits/overlap").asInt();
    ObjectNode subscribe = JSON.createObjectNode();
    subscribe.put("type", "subscribe").put("ref", 1).put("topic", topic);
    JsonNode from = continuity.onSubscribe();
    if (from != null) {
      subscribe.set("from", from);
    }
    entered.text(subscribe.toString());
    JsonNode answer = entered.await("subscribed");
    if (answer.has("recovered")) {
      countAnswer(answer.get("recovered").asBoolean());
    }
    continuity.onSubscribed(answer, overlap);
    return entered;
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
          frame = socket.readJson();
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
      case "message" -> {
        lastTimeMs = frame.get("time").asLong();
        continuity.onMessage(frame);
      }
      case "gap" -> continuity.onGap(frame);
      case "caught-up" -> {
        caughtUpMs = frame.get("time").asLong();
        continuity.onCaughtUp(caughtUpMs);
      }
      case "draining" -> changeNode();
      case "stale", "live", "pong" -> {
        // frames that a client without a user interface ignores
      }
      default -> throw new AssertionError("unexpected: " + frame);
    }
  }

  // Make before break: unread frames of the old connection are not needed any more.
  private void changeNode() {
    if (closed) {
      return;
    }
    RawWebSocket old = socket;
    socket = enter(next);
    old.close();
  }

  @Override
  public void onMessage(JsonNode message) {
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
    socket.reset();
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
    socket.close();
  }
}
