package io.sluice.gateway.sim;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.protocol.InterestKey;
import java.util.ArrayList;
import java.util.List;

/** One subscription of a simulated client: its request, its answer and its position. */
final class ClientSubscription {
  private static final int FORGED_ONE_IN = 20;
  private static final long FUTURE_MS = NodeClock.EPOCH_MS + 86_400_000;

  final int ref;
  final InterestKey key;
  final String delivery;
  final boolean latest;
  final Continuity continuity;
  final Application application;
  private final World world;

  private boolean isForged;

  /** Time of the latest request. */
  private long askedMicros;

  /** Error code of the refusal, or null once it is answered. */
  private String refusal;

  /** True after a refusal until the next request. No frame may arrive for it then. */
  private boolean inactive;

  /** Node that sent the latest answer. */
  private SimulatedNode node;

  /** Identities received of the current snapshot, or null. */
  private List<Long> snapshot;

  /** True from a failed resume to the end of a snapshot, or to a gap. */
  private boolean lacksSnapshot;

  /** Null unless the source is ordered. */
  private final Places places;

  /** Channel number of its topic in binary messages; -1 for a pattern. */
  int channel = -1;

  /**
   * @param delivery members of the subscribe frame, each preceded by a comma
   */
  ClientSubscription(
      int ref,
      InterestKey key,
      String delivery,
      Continuity continuity,
      Application application,
      World world) {
    this.world = world;
    this.ref = ref;
    this.key = key;
    this.delivery = delivery;
    this.latest = !delivery.isEmpty();
    this.continuity = continuity;
    this.application = application;
    boolean ordered = world != null && world.plan.stream != null; // scenarios have no world
    this.places = ordered ? new Places(application) : null;
  }

  /** Returns the subscribe frame. Some positions have a time that no clock has reached. */
  String subscribeFrame() {
    inactive = false;
    askedMicros = world.timeline.nowMicros();
    Position position = continuity.position();
    isForged =
        position != null
            && places == null
            && world.plan.tiers == null
            && Math.floorMod(position.sinceMs(), FORGED_ONE_IN) == 0;
    String from = isForged ? position.caughtUp(FUTURE_MS).json() : continuity.from();
    String where = isTagged() ? ",\"tagged\":true,\"where\":\"" + key.selector() + "\"" : "";
    return "{\"type\":\"subscribe\",\"ref\":%d,\"topic\":\"%s\",\"from\":%s%s%s}"
        .formatted(ref, topic(), from, delivery, where);
  }

  /** Returns whether the latest request had a time that no clock has reached. */
  boolean isForged() {
    return isForged;
  }

  /** Returns the time of the latest request. */
  long askedMicros() {
    return askedMicros;
  }

  /** Returns the unsubscribe frame. */
  String unsubscribeFrame() {
    String subscription = isTagged() ? ",\"subscription\":" + ref : "";
    return "{\"type\":\"unsubscribe\",\"topic\":\"%s\"%s}".formatted(topic(), subscription);
  }

  /** Returns the topic or pattern. */
  String topic() {
    return key.topic();
  }

  /** Returns whether its frames carry its ref. */
  boolean isTagged() {
    return key.hasSelector();
  }

  static Continuity.Answer answer(JsonNode frame) {
    JsonNode recovered = frame.get("recovered");
    return new Continuity.Answer(
        Long.parseUnsignedLong(frame.get("epoch").asText(), 16),
        frame.get("offset").asLong(),
        frame.has("ids") ? ids(frame.get("ids")) : null,
        frame.path("replay").asInt(),
        recovered == null ? null : recovered.asBoolean(),
        frame.path("time").asLong());
  }

  /** Returns the stream that begins at a gap, or null. */
  static Continuity.Begun begun(JsonNode gap) {
    return gap.has("epoch")
        ? new Continuity.Begun(
            Long.parseUnsignedLong(gap.get("epoch").asText(), 16), ids(gap.get("ids")))
        : null;
  }

  private static List<Long> ids(JsonNode array) {
    List<Long> ids = new ArrayList<>();
    array.forEach(id -> ids.add(Long.parseUnsignedLong(id.asText(), 16)));
    return ids;
  }

  /** Ends the subscription, which may not have begun. The position is kept. */
  void onRefused(String code) {
    onConnectionLost();
    refusal = code;
    inactive = true;
  }

  boolean isInactive() {
    return inactive;
  }

  /** Returns the error code of its refusal, or null. */
  String refusal() {
    return refusal;
  }

  void onSubscribed(SimulatedNode from, Continuity.Answer answer) {
    refusal = null;
    node = from;
    boolean refused = Boolean.FALSE.equals(answer.recovered());
    if (lacksSnapshot && Boolean.TRUE.equals(answer.recovered())) {
      application.fail("resumes without the snapshot of its new beginning");
    }
    lacksSnapshot |= refused;
    if (places != null) {
      Position position = continuity.position();
      places.onSubscribed(answer, position != null && position.epoch() != answer.epoch());
    }
    snapshot = refused || continuity.requestsSnapshot() ? new ArrayList<>() : null;
    continuity.onSubscribed(answer);
    checkSnapshot();
  }

  private void checkSnapshot() {
    if (snapshot != null && !continuity.isReplaying()) {
      world.onSnapshot(application, node, continuity.answer(), snapshot, false);
      snapshot = null;
      lacksSnapshot = false;
    }
  }

  void onGap(JsonNode frame) {
    String reason = frame.get("reason").asText();
    Continuity.Begun begun = begun(frame);
    if (snapshot != null && continuity.replayLeft() == 1) { // others are cut
      boolean sent = !world.plan.breaks(Rule.SNAPSHOT_ENDS_AT_LOSS);
      world.onSnapshot(application, node, continuity.answer(), snapshot, sent);
    }
    snapshot = null;
    lacksSnapshot = false;
    world.onGap(application, reason, continuity.answer());
    if (places != null && begun != null) {
      places.onStream(begun);
    }
    continuity.onGap(reason, frame.get("offset").asLong(), frame.get("time").asLong(), begun);
  }

  void onConnectionLost() {
    snapshot = null;
    inactive = false;
    channel = -1;
    continuity.onConnectionLost();
  }

  /** Receives a message. Live offsets rise by one unless the subscription skips messages. */
  void onMessage(long id, long offset) {
    boolean replaying = continuity.isReplaying();
    if (replaying && offset > continuity.answer().offset()) {
      application.fail("a replayed offset is above that of the answer");
    }
    long before = continuity.offset();
    if (!replaying && (latest ? offset <= before : offset != before + 1)) {
      application.fail("live offset " + offset + " after " + before);
    }
    if (snapshot != null) {
      snapshot.add(id);
    }
    if (places != null) {
      places.onMessage(id, replaying);
    }
    long dropped = world.tally.dropped;
    continuity.onMessage(id, offset);
    if (world.tally.dropped > dropped && node.isExact()) {
      application.fail("a leaf repeats " + Long.toHexString(id));
    }
    checkSnapshot();
  }

  /** Receives a caught-up time, which is ignored during a replay. */
  void onCaughtUp(long timeMs) {
    if (continuity.isAnswered() && !continuity.isReplaying()) {
      application.checkCaughtUp(timeMs);
    }
    continuity.onCaughtUp(timeMs);
  }

  /** Returns the 64-bit offset of a binary message that contains the lower 32 bits. */
  long wholeOffset(long low) {
    long reference = continuity.offset();
    if (continuity.isReplaying()) {
      reference = continuity.answer().offset();
      return reference - (reference - low & 0xFFFF_FFFFL);
    }
    return reference + 1 + (low - (reference + 1) & 0xFFFF_FFFFL);
  }
}
