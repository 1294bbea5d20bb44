package io.sluice.gateway.sim.queue;

import io.sluice.gateway.sim.queue.Expectation.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/** Random frames that a client sends on one connection. */
final class ClientActions {
  private static final List<String> HOW = List.of("ack", "ack", "ack", "release", "reject");
  private static final List<String> QUEUES =
      List.of(QueuePlan.QUEUES.get(0), QueuePlan.QUEUES.get(1), QueuePlan.CLIENT_SERVICE);
  private static final int MAX_CONSUMERS = 3;
  private static final int LAST_CREDIT = 200;
  private static final long NEVER = 1_000_000_000;
  private static final long MAX_TIMEOUT_MS = 8_000;
  private static final long LONG_TIMEOUT_MS = 59_000;

  private final ClientSide side;
  private final QueueWorld world;
  private Supplier<String> texts;
  private long lastRef;

  /** The client settles in one of this many actions. */
  private final int laziness;

  private boolean opensAll;

  ClientActions(ClientSide side, QueueWorld world) {
    this.side = side;
    this.world = world;
    this.laziness = world.random.of(List.of(1, 2, 20, 200));
  }

  /** Sets the source of texts, which are unique. */
  void publishFrom(Supplier<String> source) {
    texts = source;
  }

  /** Opens consumers: of some queues, or one for each queue with a large credit. */
  void open(boolean all) {
    opensAll = all;
    if (all) {
      side.consumers.values().forEach(consumer -> credit(consumer, LAST_CREDIT));
      QUEUES.stream().filter(queue -> !isOpen(queue)).forEach(this::consume);
    } else {
      consume(world.random.of(QUEUES));
    }
  }

  private boolean isOpen(String queue) {
    return side.consumers.values().stream()
        .anyMatch(consumer -> consumer.queue.equals(queue) && !consumer.ending);
  }

  private void consume(String queue) {
    long ref = ++lastRef;
    int credit = opensAll ? LAST_CREDIT : randomCredit();
    ClientConsumer opened = new ClientConsumer(ref, queue, credit);
    side.consumers.put(ref, opened);
    side.expect(ref, new Expectation(Kind.CONSUME, opened, queue, List.of(), 0));
    side.send(
        "{\"type\":\"consume\",\"ref\":%d,\"queue\":\"%s\",\"credit\":%d}"
            .formatted(ref, queue, credit));
  }

  private int randomCredit() {
    return (int) world.random.between(world.random.oneIn(5) ? 0 : 1, world.plan.maxCredit);
  }

  /** Opens a consumer of the same queue after a time. */
  void reopenLater(ClientConsumer ended) {
    world.timeline.after(
        world.random.between(0, QueuePlan.SECOND),
        () -> {
          if (side.consumers.size() < MAX_CONSUMERS || opensAll && !isOpen(ended.queue)) {
            consume(ended.queue);
          }
        });
  }

  /** Keeps messages of an earlier connection, which violates the protocol. */
  void inherit(ClientConsumer former) {
    ClientConsumer own = side.anyConsumer();
    own.pending.putAll(former.pending);
  }

  /** Sends a random frame. */
  void act() {
    switch (world.random.below(12)) {
      case 0 -> randomConsumer(consumer -> credit(consumer, randomCredit()));
      case 1 -> settleLate();
      case 2, 3 -> publish();
      case 4 -> request();
      case 5 -> change();
      case 6, 7, 8, 9 -> randomConsumer(this::respond);
      case 10 -> randomConsumer(this::transact);
      default -> settleSome();
    }
  }

  private void randomConsumer(java.util.function.Consumer<ClientConsumer> action) {
    List<ClientConsumer> active =
        side.consumers.values().stream().filter(ClientConsumer::isActive).toList();
    if (!active.isEmpty()) {
      action.accept(world.random.of(active));
    }
  }

  private void credit(ClientConsumer consumer, int credit) {
    if (consumer.ending) {
      return;
    }
    long ping = ++lastRef;
    side.onCreditSent(ping, consumer, credit);
    side.send(
        "{\"type\":\"credit\",\"subscription\":%d,\"credit\":%d}".formatted(consumer.ref, credit));
    side.send("{\"type\":\"ping\",\"ref\":%d}".formatted(ping));
  }

  /** Reduces the credit of all consumers to 0: the client moves to another node. */
  void pauseConsumers() {
    side.consumers.values().forEach(consumer -> credit(consumer, 0));
  }

  // Opens another consumer or ends one.
  private void change() {
    if (side.consumers.size() < MAX_CONSUMERS) {
      consume(world.random.of(QUEUES));
    } else {
      randomConsumer(this::end);
    }
  }

  private void end(ClientConsumer consumer) {
    long ref = ++lastRef;
    consumer.ending = true;
    side.expect(ref, new Expectation(Kind.END, consumer, consumer.queue, List.of(), 0));
    side.send(
        "{\"type\":\"unsubscribe\",\"ref\":%d,\"subscription\":%d}".formatted(ref, consumer.ref));
  }

  /** Settles some messages of a consumer. */
  void settleSome() {
    if (world.random.oneIn(laziness)) {
      randomConsumer(this::settle);
    }
  }

  private void settle(ClientConsumer consumer) {
    if (!consumer.pending.isEmpty()) {
      long tag = world.random.of(new ArrayList<>(consumer.pending.keySet()));
      settle(consumer, world.random.of(HOW), tag, world.random.oneIn(3));
    }
  }

  // Of a message that was settled or released before, or never delivered.
  private void settleLate() {
    randomConsumer(
        consumer -> {
          boolean never = consumer.lastTag() == 0 || world.random.oneIn(5);
          long tag = never ? NEVER : world.random.between(1, consumer.lastTag());
          if (!consumer.pending.containsKey(tag)) {
            settle(consumer, world.random.of(HOW), tag, false);
          }
        });
  }

  private void settle(ClientConsumer consumer, String how, long tag, boolean upTo) {
    Collection<Delivered> matching =
        (upTo ? consumer.pending.headMap(tag, true) : consumer.pending.subMap(tag, true, tag, true))
            .values();
    List<Delivered> covered = List.copyOf(matching);
    matching.clear();
    covered.forEach(each -> onSent(each.message(), how));
    Expectation settlement = new Expectation(Kind.SETTLE, consumer, how, covered, 0);
    String ref = "";
    if (world.random.oneIn(4)) {
      side.expectFailureOnly(tag, settlement);
    } else {
      ref = "\"ref\":%d,".formatted(++lastRef);
      side.expect(lastRef, settlement);
    }
    side.send(
        "{\"type\":\"%s\",%s\"subscription\":%d,\"tag\":%d%s}"
            .formatted(how, ref, consumer.ref, tag, upTo ? ",\"upTo\":true" : ""));
  }

  private static void onSent(QueuedMessage message, String how) {
    message.acknowledged |= how.equals("ack");
    message.rejected |= how.equals("reject");
  }

  /** Acknowledges all pending messages. */
  void settleAll() {
    for (ClientConsumer consumer : side.consumers.values()) {
      if (consumer.isActive() && !consumer.pending.isEmpty()) {
        settle(consumer, "ack", consumer.pending.lastKey(), true);
      }
    }
  }

  private void publish() {
    long ref = ++lastRef;
    String text = texts.get();
    side.expect(ref, new Expectation(Kind.PUBLISH, null, text, List.of(), 0));
    side.send(
        "{\"type\":\"publish\",\"ref\":%d,\"queue\":\"%s\",\"payload\":\"%s\"}"
            .formatted(ref, world.random.of(QueuePlan.QUEUES), text));
  }

  private void request() {
    long ref = ++lastRef;
    String text = texts.get();
    long timeoutMs =
        world.random.oneIn(8)
            ? world.random.between(MAX_TIMEOUT_MS, LONG_TIMEOUT_MS)
            : world.random.between(50, MAX_TIMEOUT_MS);
    long deadline = world.timeline.nowMicros() + timeoutMs * QueuePlan.MILLI;
    String queue = world.random.oneIn(2) ? QueuePlan.SERVICE : QueuePlan.CLIENT_SERVICE;
    side.expect(ref, new Expectation(Kind.REQUEST, null, text, List.of(), deadline));
    side.send(
        ("{\"type\":\"request\",\"ref\":%d,\"queue\":\"%s\",\"payload\":\"%s\",\"timeout\":%d}")
            .formatted(ref, queue, text, timeoutMs));
  }

  private void transact(ClientConsumer consumer) {
    if (consumer.pending.isEmpty()) {
      return;
    }
    Delivered acknowledged = world.random.of(new ArrayList<>(consumer.pending.values()));
    long tag = acknowledged.tag();
    consumer.pending.remove(tag);
    onSent(acknowledged.message(), "ack");
    long ref = ++lastRef;
    String text = texts.get();
    side.expect(ref, new Expectation(Kind.TRANSACT, consumer, text, List.of(acknowledged), 0));
    side.send(
        ("{\"type\":\"transaction\",\"ref\":%d,\"publish\":[{\"queue\":\"%s\",\"payload\":\"%s\"}],"
                + "\"ack\":[{\"subscription\":%d,\"tag\":%d}]}")
            .formatted(ref, world.random.of(QueuePlan.QUEUES), text, consumer.ref, tag));
  }

  private void respond(ClientConsumer consumer) {
    if (consumer.pending.isEmpty()) {
      return;
    }
    Delivered answered = world.random.of(new ArrayList<>(consumer.pending.values()));
    long ref = ++lastRef;
    String text = Responder.PREFIX + answered.message().content.text();
    side.expect(ref, new Expectation(Kind.RESPOND, consumer, text, List.of(answered), 0));
    side.send(
        "{\"type\":\"respond\",\"ref\":%d,\"subscription\":%d,\"tag\":%d,\"payload\":\"%s\"}"
            .formatted(ref, consumer.ref, answered.tag(), text));
  }
}
