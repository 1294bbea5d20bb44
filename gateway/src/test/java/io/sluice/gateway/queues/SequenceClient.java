package io.sluice.gateway.queues;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.protocol.Settlement;
import io.sluice.testkit.RawWebSocket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Client with one consumer, which runs random operations and computes its credit as PROTOCOL.md
 * describes. It reads its socket only within its methods. Bound to the test's thread.
 */
final class SequenceClient implements AutoCloseable {
  private static final int MAX_CREDIT = 4;

  /** Ways to end a connection. */
  private enum End {
    /** Close frame. */
    CLOSE,
    /** End of the stream, without a close frame. */
    STREAM,
    /** Reset. */
    RESET
  }

  /** Settlement without an answer. */
  private record Unanswered(Settlement how, List<Integer> messages) {}

  private final String name;
  private final String queue;
  private final Supplier<RawWebSocket> opener;
  private final MessageBook book;
  private final Random random;

  /** Messages that can be settled, by tag. */
  private final TreeMap<Long, Integer> pending = new TreeMap<>();

  private final Map<Long, Unanswered> unanswered = new HashMap<>();
  private RawWebSocket socket;
  private long lastRef;
  private long consumer;
  private int credit;

  /** True from a release until all messages are settled or released. */
  private boolean releasing;

  /** Opens a connection and a consumer. */
  SequenceClient(
      String name, String queue, Supplier<RawWebSocket> opener, MessageBook book, Random random) {
    this.name = name;
    this.queue = queue;
    this.opener = opener;
    this.book = book;
    this.random = random;
    socket = opener.get();
    consume(random.nextInt(MAX_CREDIT));
  }

  /** Runs one operation. */
  void step() {
    switch (random.nextInt(16)) {
      case 0, 1 -> credit(credit + 1 + random.nextInt(2));
      case 2 -> credit(random.nextInt(MAX_CREDIT));
      case 3 -> credit(0);
      case 4 -> {
        settle(Settlement.ACK, false);
        credit(0);
      }
      case 5, 6, 7 -> settle(Settlement.ACK, false);
      case 8 -> settle(Settlement.ACK, true);
      case 9, 10 -> settle(Settlement.RELEASE, random.nextBoolean());
      case 11 -> {
        if (random.nextInt(4) == 0) {
          settle(Settlement.REJECT, random.nextBoolean());
        }
      }
      case 12 -> {
        if (random.nextInt(8) == 0) {
          unsubscribe();
          consume(random.nextInt(MAX_CREDIT));
        }
      }
      case 13 -> {
        if (random.nextInt(6) == 0) {
          reconnect();
        }
      }
      default -> sync();
    }
  }

  /** Changes the credit; returns before the node knows. */
  void credit(int newCredit) {
    credit = Math.min(MAX_CREDIT, newCredit);
    book.note(name + " credit " + credit);
    send("'type':'credit','subscription':%d,'credit':%d".formatted(consumer, credit));
  }

  /** Grants one message more than are pending. */
  void grantOne() {
    sync();
    credit = pending.size() + 1;
    book.note(name + " credit " + credit);
    send("'type':'credit','subscription':%d,'credit':%d".formatted(consumer, credit));
  }

  private void settle(Settlement how, boolean upTo) {
    if (pending.isEmpty()) {
      sync();
    }
    if (pending.isEmpty()) {
      return;
    }
    List<Long> tags = new ArrayList<>(pending.keySet());
    long tag = tags.get(random.nextInt(tags.size()));
    List<Integer> messages = new ArrayList<>();
    for (long each : tags) {
      if (each == tag || (upTo && each < tag)) {
        messages.add(pending.remove(each));
      }
    }
    long ref = ++lastRef;
    book.note(name + " sends " + how.code() + " of " + messages);
    send(
        "'type':'%s','ref':%d,'subscription':%d,'tag':%d,'upTo':%b"
            .formatted(how.code(), ref, consumer, tag, upTo));
    unanswered.put(ref, new Unanswered(how, messages));
    releasing |= how == Settlement.RELEASE;
  }

  /** Settles all pending messages and waits for the answers. */
  void settleAll(Settlement how) {
    sync();
    while (!pending.isEmpty()) {
      settle(how, true);
    }
    awaitAnswers();
  }

  /** Settles some pending messages and waits for the answers. */
  void settleSome() {
    for (int i = random.nextInt(pending.size() + 1); i > 0; i--) {
      settle(random.nextInt(8) == 0 ? Settlement.REJECT : Settlement.ACK, false);
    }
    awaitAnswers();
  }

  /** Waits for the answers to all settlements. */
  void awaitAnswers() {
    while (!unanswered.isEmpty()) {
      read();
    }
  }

  /** Reads what the node has sent. */
  void sync() {
    send("'type':'ping','ref':%d".formatted(++lastRef));
    await("pong");
  }

  /** Reads up to the next delivery. */
  void awaitDelivery() {
    await("delivery");
  }

  private void consume(int newCredit) {
    credit = newCredit;
    consumer = ++lastRef;
    book.note(name + " consumes with credit " + credit);
    send(
        "'type':'consume','ref':%d,'queue':'%s','credit':%d".formatted(consumer, queue, newCredit));
    await("consuming");
  }

  /** Ends the consumer. */
  void unsubscribe() {
    book.note(name + " unsubscribes");
    send("'type':'unsubscribe','ref':%d,'subscription':%d".formatted(++lastRef, consumer));
    await("unsubscribed");
    pending.clear();
    releasing = false;
  }

  private void reconnect() {
    End how = End.values()[random.nextInt(End.values().length)];
    book.note(name + " reconnects after " + how);
    switch (how) {
      case CLOSE -> {
        socket.sendClose(1000, "");
        socket.close();
      }
      case STREAM -> socket.close();
      case RESET -> socket.reset();
    }
    unanswered.values().forEach(each -> each.messages.forEach(m -> book.unanswered(m, each.how)));
    unanswered.clear();
    pending.clear();
    releasing = false;
    socket = opener.get();
    consume(random.nextInt(MAX_CREDIT));
  }

  /** Returns the number of messages that the node may deliver now. */
  int available() {
    return releasing ? 0 : Math.max(0, credit - pending.size() - unanswered.size());
  }

  int pending() {
    return pending.size();
  }

  private void await(String type) {
    while (!read().equals(type)) {}
  }

  /** Reads a frame and returns its type. */
  private String read() {
    JsonNode frame = socket.readJson();
    String type = frame.path("type").asText();
    switch (type) {
      case "delivery" -> onDelivery(frame);
      case "settled" -> onSettled(frame.path("ref").asLong());
      case "error", "released" -> book.check(false, name + " received " + frame);
      default -> {}
    }
    return type;
  }

  private void onDelivery(JsonNode frame) {
    int message = Integer.parseInt(frame.path("payload").asText());
    book.check(frame.path("ref").asLong() == consumer, name + ": an ended consumer: " + frame);
    book.delivered(message, frame.path("redelivered").asText(), name);
    pending.put(frame.path("tag").asLong(), message);
  }

  private void onSettled(long ref) {
    Unanswered answered = unanswered.remove(ref);
    answered.messages.forEach(each -> book.settled(each, answered.how));
    if (pending.isEmpty() && unanswered.isEmpty()) {
      releasing = false; // all have returned
    }
  }

  /** Sends a frame without its braces and with single quotation marks. */
  private void send(String members) {
    socket.text("{" + members.replace('\'', '"') + "}");
  }

  @Override
  public void close() {
    socket.close();
  }

  @Override
  public String toString() {
    return "%s: credit %d, %d pending".formatted(name, credit, pending.size());
  }
}
