package io.sluice.gateway.sim.queue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.sim.SimulatedConnection;
import io.sluice.gateway.sim.queue.Expectation.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Consumers and unanswered frames of one connection, and the checks of what the node sends. */
final class ClientSide {
  /** Time for checks of the node, and for its frame to arrive. */
  private static final long SLACK = 10 * QueuePlan.SECOND;

  private static final long CREDIT_TIME = 25 * QueuePlan.SECOND;
  private static final String NOT_PENDING = "not-pending";

  /** Codes that report an outcome that is unknown, or no effect. */
  private static final Set<String> UNSETTLED =
      Set.of("settle-failed", "broker-unavailable", "rate-limited");

  /** Codes after which a transaction has no effect. */
  private static final Set<String> UNSENT = Set.of("broker-unavailable", "rate-limited");

  private static final Set<String> UNPUBLISHED = Set.of("publish-failed", "broker-unavailable");
  private static final Set<String> UNANSWERED =
      Set.of("publish-failed", "broker-unavailable", "timeout", "no-reply", "too-many-requests");

  final Map<Long, ClientConsumer> consumers = new LinkedHashMap<>();
  final ClientActions actions;

  private final String name;
  private final QueueWorld world;
  private final QueueNode node;
  private final SimulatedConnection connection;
  private final Map<Long, Expectation> expected = new LinkedHashMap<>();

  /** Settlements without a ref, of which only a failure is answered. */
  private final Map<String, List<Expectation>> quiet = new HashMap<>();

  private final Map<Long, Runnable> pings = new HashMap<>();

  ClientSide(String name, QueueWorld world, QueueNode node, SimulatedConnection connection) {
    this.name = name;
    this.world = world;
    this.node = node;
    this.connection = connection;
    this.actions = new ClientActions(this, world);
  }

  void send(String frame) {
    world.trace.note(name, () -> "sends " + frame);
    connection.send(frame);
  }

  void expect(long ref, Expectation expectation) {
    expected.put(ref, expectation);
  }

  void expectFailureOnly(long tag, Expectation settlement) {
    quiet
        .computeIfAbsent(settlement.consumer.ref + "/" + tag, missing -> new ArrayList<>())
        .add(settlement);
  }

  /** Records a new credit; earlier ones apply for some time after the answer to a ping. */
  void onCreditSent(long pingRef, ClientConsumer consumer, int credit) {
    int number = consumer.credit(credit);
    pings.put(
        pingRef, () -> world.timeline.after(CREDIT_TIME, () -> consumer.confirmCredit(number)));
  }

  ClientConsumer anyConsumer() {
    return consumers.values().stream().findFirst().orElse(null);
  }

  void onFrame(JsonNode frame) {
    switch (frame.get("type").asText()) {
      case "consuming" -> onConsuming(frame);
      case "delivery" -> onDelivery(frame);
      case "released" -> onReleased(frame);
      case "settled" -> onSettled(frame);
      case "published" -> onPublished(frame);
      case "committed" -> onCommitted(frame);
      case "reply" -> onReply(frame);
      case "unsubscribed" -> take(frame, Kind.END);
      case "error" -> onError(frame);
      case "pong" -> pings.remove(frame.get("ref").asLong()).run();
      default -> {
        // not about queues
      }
    }
  }

  private void fail(String what) {
    world.fail(name, what);
  }

  /** Removes the unanswered frame that a frame of the node answers; null if there is none. */
  private Expectation take(JsonNode frame, Kind... kinds) {
    Expectation answered = expected.remove(frame.path("ref").asLong(-1));
    if (answered == null || !List.of(kinds).contains(answered.kind)) {
      fail("reads " + frame + " in answer to " + answered);
      return null;
    }
    return answered;
  }

  private void onConsuming(JsonNode frame) {
    ClientConsumer consumer = consumer(frame, "ref");
    if (consumer != null) {
      take(frame, Kind.CONSUME);
      if (!consumer.activate()) {
        fail("reads consuming twice");
      }
    }
  }

  private ClientConsumer consumer(JsonNode frame, String member) {
    ClientConsumer consumer = consumers.get(frame.path(member).asLong(-1));
    if (consumer == null) {
      fail("reads " + frame + " without a consumer");
    }
    return consumer;
  }

  private void onDelivery(JsonNode frame) {
    ClientConsumer consumer = consumer(frame, "ref");
    if (consumer == null) {
      return;
    }
    Dispatch dispatch = world.broker.dispatch(frame.get("messageType").asLong());
    if (!dispatch.message.content.text().equals(frame.get("payload").asText())) {
      fail("reads " + frame + " instead of " + dispatch.message);
    }
    long tag = frame.get("tag").asLong();
    String problem = consumer.add(new Delivered(tag, dispatch, world.timeline.nowMicros()));
    if (problem != null) {
      fail(consumer + ": " + problem);
    }
    world.ledger.onDelivery(name, node, dispatch, frame.has("redelivered"));
  }

  private void onReleased(JsonNode frame) {
    ClientConsumer consumer = consumer(frame, "ref");
    if (consumer == null) {
      return;
    }
    boolean all = !frame.has("tag");
    long tag = frame.path("tag").asLong();
    if (all) {
      world.tally.lost++;
      consumer.onAllReleased();
      consumer.failedMicros = 0;
    } else {
      world.tally.timeouts++;
      consumer.pending.remove(tag);
      consumer.onReleased(world.timeline.nowMicros());
    }
    List<Expectation> unanswered = new ArrayList<>(expected.values());
    quiet.values().forEach(unanswered::addAll);
    for (Expectation each : unanswered) {
      if (each.consumer == consumer) {
        each.covered.removeIf(covered -> all || covered.tag() == tag);
      }
    }
  }

  private void onSettled(JsonNode frame) {
    Expectation settled = take(frame, Kind.SETTLE);
    if (settled == null) {
      return;
    }
    if (settled.covered.isEmpty()) {
      fail("reads settled although no message was pending: " + settled);
    }
    if (settled.text.equals("release")) {
      settled.consumer.onReleased(world.timeline.nowMicros());
    }
    for (Delivered each : settled.covered) {
      if (!settled.text.equals("release")) {
        world.ledger.onSettled(name, each.message(), settled.text);
      }
    }
  }

  private void onPublished(JsonNode frame) {
    Expectation published = take(frame, Kind.PUBLISH, Kind.RESPOND);
    if (published == null) {
      return;
    }
    if (published.kind == Kind.RESPOND) {
      world.tally.responses++;
    } else if (world.broker.withText(published.text) == null) {
      fail("reads published for " + published + ", which the broker does not have");
    }
  }

  private void onCommitted(JsonNode frame) {
    Expectation committed = take(frame, Kind.TRANSACT);
    if (committed == null) {
      return;
    }
    world.tally.committed++;
    if (committed.covered.isEmpty() || world.broker.withText(committed.text) == null) {
      fail("reads committed for " + committed + ", of which a part has no effect");
    }
    for (Delivered each : committed.covered) {
      world.ledger.onSettled(name, each.message(), "ack");
    }
  }

  private void onReply(JsonNode frame) {
    Expectation request = take(frame, Kind.REQUEST);
    if (request != null) {
      world.tally.replies++;
      String reply = frame.get("payload").asText();
      if (!reply.equals(Responder.PREFIX + request.text)) {
        fail("reads the reply " + reply + " to " + request);
      }
    }
  }

  private void onError(JsonNode frame) {
    String code = frame.get("code").asText();
    boolean ofConsumer = frame.has("queue") && consumers.containsKey(frame.path("ref").asLong(-1));
    if (ofConsumer) {
      onConsumerEnd(frame, code);
      return;
    }
    boolean ofCredit = !frame.has("ref") && !frame.has("tag");
    if (ofCredit && code.equals(NOT_PENDING)) {
      checkEnded(frame);
      return;
    }
    String settlement = frame.path("subscription").asLong() + "/" + frame.path("tag").asLong();
    Expectation failed = frame.has("ref") ? expected.get(frame.get("ref").asLong()) : null;
    if (frame.has("ref")) {
      expected.remove(frame.get("ref").asLong());
    } else {
      failed = takeQuiet(settlement, code);
    }
    if (failed == null) {
      fail("reads " + frame + " in answer to nothing");
    } else {
      onFailure(failed, code, frame);
    }
  }

  // Several settlements of one message are possible, at most one of them of a pending one.
  private Expectation takeQuiet(String settlement, String code) {
    List<Expectation> sent = quiet.getOrDefault(settlement, List.of());
    boolean late = code.equals(NOT_PENDING);
    for (Expectation each : sent) {
      if (each.covered.isEmpty() == late) {
        sent.remove(each);
        return each;
      }
    }
    return sent.isEmpty() ? null : sent.remove(0);
  }

  private void checkEnded(JsonNode frame) {
    ClientConsumer consumer = consumers.get(frame.get("subscription").asLong());
    if (consumer != null && !consumer.ending) {
      fail("reads " + frame + " for " + consumer);
    }
  }

  // The pending messages of the consumer return to the queue.
  private void onConsumerEnd(JsonNode frame, String code) {
    expected.remove(frame.get("ref").asLong());
    ClientConsumer ended = consumers.remove(frame.get("ref").asLong());
    if (!code.equals("unknown-queue") && !code.equals("broker-unavailable")) {
      fail("reads " + frame + " for " + ended);
    }
    ended.ending = true;
    actions.reopenLater(ended);
  }

  private void onFailure(Expectation failed, String code, JsonNode frame) {
    boolean isExpected =
        switch (failed.kind) {
          case SETTLE -> onUnsettled(failed, code);
          case RESPOND ->
              code.equals("no-recipient")
                  || UNPUBLISHED.contains(code)
                  || code.equals(NOT_PENDING) && isNotPending(failed);
          case TRANSACT -> onUncommitted(failed, code);
          case PUBLISH -> UNPUBLISHED.contains(code);
          case REQUEST -> onNoReply(code);
          case END -> code.equals("not-subscribed") && !consumers.containsValue(failed.consumer);
          default -> false;
        };
    if (!isExpected) {
      fail("reads " + frame + " in answer to " + failed);
    }
  }

  private boolean onUnsettled(Expectation failed, String code) {
    if (code.equals(NOT_PENDING)) {
      world.tally.late++;
      return isNotPending(failed);
    }
    world.tally.failed++;
    if (code.equals("settle-failed") && failed.consumer.failedMicros == 0) {
      failed.consumer.failedMicros = world.timeline.nowMicros();
    }
    return UNSETTLED.contains(code);
  }

  private boolean onUncommitted(Expectation failed, String code) {
    if (code.equals("transaction-failed")) {
      world.tally.unknown++;
      return true;
    }
    boolean refused = code.equals(NOT_PENDING) ? isNotPending(failed) : UNSENT.contains(code);
    return refused && world.broker.withText(failed.text) == null;
  }

  // The end of a consumer ends its pending messages, too, without another frame.
  private static boolean isNotPending(Expectation failed) {
    return failed.covered.isEmpty() || failed.consumer.ending;
  }

  private boolean onNoReply(String code) {
    world.tally.noReplies++;
    return UNANSWERED.contains(code);
  }

  /** Checks that the node keeps its time limits. */
  void checkTimes() {
    long now = world.timeline.nowMicros();
    for (ClientConsumer consumer : consumers.values()) {
      boolean failed = consumer.failedMicros > 0 && now > consumer.failedMicros + SLACK;
      if (failed && !consumer.ending) {
        fail(consumer + ": no release has followed a failed settlement");
      }
      for (Delivered each : consumer.pending.values()) {
        if (now - each.atMicros() > world.plan.ackTimeout + SLACK && !consumer.ending) {
          fail(consumer + ": tag " + each.tag() + " is not released in time");
        }
      }
    }
    for (Expectation each : expected.values()) {
      if (each.deadlineMicros > 0 && now > each.deadlineMicros + SLACK) {
        fail("has no answer in time to " + each);
      }
      if (each.kind == Kind.REQUEST && outlivesReplyQueue(each.text)) {
        fail("has no answer after the loss of the reply queue to " + each);
      }
    }
  }

  private boolean outlivesReplyQueue(String text) {
    QueuedMessage request = world.broker.withText(text);
    if (request == null) {
      return false;
    }
    long lost = world.broker.repliesLostMicros(request.content.replyTo());
    long since = Math.max(lost, request.acceptedMicros);
    return lost >= 0 && world.timeline.nowMicros() > since + SLACK;
  }

  /** Checks that each frame is answered. */
  void checkAnswered() {
    if (!expected.isEmpty()) {
      fail("has no answer to " + expected);
    }
  }
}
