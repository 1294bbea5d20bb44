package io.sluice.gatling.engine;

import com.fasterxml.jackson.databind.JsonNode;
import io.gatling.core.session.Session;
import io.sluice.gatling.check.BinaryFrame;
import io.sluice.gatling.check.CheckSet;
import io.sluice.gatling.check.Frames;
import io.sluice.gatling.check.SluiceMessage;
import io.sluice.gatling.check.StreamWindow;
import java.util.function.Supplier;

/**
 * Received messages of one subscription or consumer of a virtual user: sequence, ages and checks.
 * Owned by the event loop of the virtual user.
 */
final class ReceivedStream {
  private final ResponseLog responses;
  private final ResponseLog.Name name;
  private final StreamPlan plan;

  /** Topic, pattern or queue. */
  private final String destination;

  private final long ref;

  /** Session of the subscribe, in which expressions of checks are resolved. */
  private final Session session;

  private StreamWindow window = new StreamWindow();
  private CheckSet.Verdict latest;
  private boolean isEvaluated;
  private boolean isActive = true;

  /** Offset of the latest message, or tag of the latest delivery. */
  private long position;

  /** Highest offset of the replay. */
  private long answerOffset;

  private int replayLeft;

  /** Tag of the latest delivery that is not settled; 0 without one. */
  private long pendingTag;

  ReceivedStream(
      ResponseLog responses,
      Session session,
      String request,
      String destination,
      StreamPlan plan,
      long ref) {
    this.responses = responses;
    this.name = ResponseLog.Name.of(session, request);
    this.session = session;
    this.destination = destination;
    this.plan = plan;
    this.ref = ref;
  }

  ResponseLog.Name name() {
    return name;
  }

  StreamPlan plan() {
    return plan;
  }

  String destination() {
    return destination;
  }

  long ref() {
    return ref;
  }

  /** Returns whether the node still serves the stream. */
  boolean isActive() {
    return isActive;
  }

  /** Records that the stream has ended before the client ended it. */
  void onLost(String reason) {
    isActive = false;
    lose(reason);
  }

  /** Returns the number of messages since the start or the previous evaluation. */
  int messages() {
    return window.messages();
  }

  void onSubscribed(JsonNode answer) {
    answerOffset = answer.path("offset").asLong();
    replayLeft = answer.path("replay").asInt();
    position = answerOffset;
    if (answer.has("recovered") && !answer.path("recovered").asBoolean()) {
      lose("not recovered");
    }
  }

  /** Records the frame {@code gap}, which also ends a replay. */
  void onGap(JsonNode gap) {
    position = gap.path("offset").asLong();
    replayLeft = 0;
    lose(gap.path("reason").asText());
  }

  /** Records a loss of messages and logs it as a failure. */
  void lose(String reason) {
    String description = "gap on " + destination + ": " + reason;
    window.onGap(description);
    responses.fail(name, responses.nowMs(), "gap", description);
  }

  void onMessage(JsonNode frame) {
    receive(
        frame.path("offset").asLong(), frame.path("time").asLong(), () -> Frames.message(frame));
  }

  void onMessage(BinaryFrame frame, String topic) {
    long now = responses.nowMs();
    long offset = replayLeft > 0 ? frame.upTo(answerOffset) : frame.above(position);
    receive(offset, frame.time(now), () -> frame.message(topic, now));
  }

  private void receive(long offset, long timeMs, Supplier<SluiceMessage> message) {
    if (replayLeft > 0) {
      replayLeft--;
      window.onMessage();
      check(message, 0);
    } else {
      follow(offset);
      measure(timeMs, message);
    }
  }

  private void follow(long offset) {
    if (plan.isSequence() && offset != position + 1) {
      lose("offset " + offset + " follows " + position);
    }
    position = offset;
  }

  void onDelivery(JsonNode frame) {
    deliver(frame.path("tag").asLong(), frame.path("time").asLong(), () -> Frames.message(frame));
  }

  void onDelivery(BinaryFrame frame) {
    long now = responses.nowMs();
    deliver(frame.above(position), frame.time(now), () -> frame.message(null, now));
  }

  private void deliver(long tag, long timeMs, Supplier<SluiceMessage> message) {
    position = tag;
    pendingTag = tag;
    measure(timeMs, message);
  }

  /** Returns the tag up to which deliveries are unsettled, and marks them as settled. */
  long settle() {
    long tag = pendingTag;
    pendingTag = 0;
    return tag;
  }

  private void measure(long timeMs, Supplier<SluiceMessage> message) {
    window.onMessage();
    long now = responses.nowMs();
    SluiceMessage read = plan.sentAt() == null ? null : message.get();
    long sentMs = read == null ? timeMs : plan.sentAt().applyAsLong(read);
    long ageMs = Math.max(0, now - sentMs);
    if (plan.checks().readsStream()) {
      window.onAge(ageMs);
    }
    if (check(read == null ? message : () -> read, ageMs)) {
      responses.receive(name, ageMs, now);
    }
  }

  /** Returns whether a message passes its checks. A failure is logged. */
  private boolean check(Supplier<SluiceMessage> message, long ageMs) {
    if (!plan.checks().readsMessages()) {
      return true;
    }
    latest = plan.checks().check(message.get(), session);
    if (latest.failure() != null) {
      responses.refuse(name, ageMs, responses.nowMs(), latest.failure());
    }
    return latest.failure() == null;
  }

  /**
   * Evaluates the checks of the stream, logs the result, and begins a new window.
   *
   * @return the session with saved values, and as failed if a check failed
   */
  Session evaluate(Session current) {
    Session result = latest == null ? current : latest.save(current);
    StreamWindow evaluated = window;
    window = new StreamWindow();
    isEvaluated = true;
    if (!plan.checks().readsStream()) {
      return result;
    }
    CheckSet.Verdict verdict = plan.checks().check(evaluated, current);
    ResponseLog.Name request = name.with("check");
    long now = responses.nowMs();
    if (verdict.failure() == null) {
      responses.succeed(request, now);
      return verdict.save(result);
    }
    responses.fail(request, now, null, verdict.failure());
    return verdict.save(result).markAsFailed();
  }

  /** Evaluates the rest of the messages at the end of the stream, if there is one. */
  Session end(Session current) {
    boolean isComplete = isEvaluated && window.messages() == 0 && window.gaps() == 0;
    return isComplete ? current : evaluate(current);
  }
}
