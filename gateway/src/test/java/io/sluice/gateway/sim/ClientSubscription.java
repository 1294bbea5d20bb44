package io.sluice.gateway.sim;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** One subscription of a simulated client: what it asks for, and where it stands. */
final class ClientSubscription {
  final int ref;
  final String topic;
  final String delivery;
  final boolean latest;
  final Continuity continuity;
  final Application application;
  private final World world;

  /** Why it was refused, until it is answered. */
  private String refusal;

  /** Whether nothing may come for it, because it was refused and has not asked again. */
  private boolean silent;

  /** Where its latest answer came from. */
  private SimulatedNode node;

  /** Identities of the snapshot that is under way, or null. */
  private List<Long> snapshot;

  /** The number of its topic in binary messages; -1 for a pattern. */
  int channel = -1;

  /**
   * @param delivery members of the subscribe frame, each with a comma before it
   */
  ClientSubscription(
      int ref,
      String topic,
      String delivery,
      Continuity continuity,
      Application application,
      World world) {
    this.world = world;
    this.ref = ref;
    this.topic = topic;
    this.delivery = delivery;
    this.latest = !delivery.isEmpty();
    this.continuity = continuity;
    this.application = application;
  }

  /** The frame that asks for it. */
  String ask() {
    silent = false;
    return "{\"type\":\"subscribe\",\"ref\":%d,\"topic\":\"%s\",\"from\":%s%s}"
        .formatted(ref, topic, continuity.from(), delivery);
  }

  static Continuity.Answer answer(JsonNode frame) {
    JsonNode recovered = frame.get("recovered");
    return new Continuity.Answer(
        Long.parseUnsignedLong(frame.get("epoch").asText(), 16),
        frame.get("offset").asLong(),
        frame.path("replay").asInt(),
        recovered == null ? null : recovered.asBoolean(),
        frame.path("time").asLong());
  }

  /** It ends, perhaps before it has begun; where it stands it keeps. */
  void onRefused(String code) {
    onConnectionLost();
    refusal = code;
    silent = true;
  }

  boolean isSilent() {
    return silent;
  }

  /** Why it is not answered, or null. */
  String refusal() {
    return refusal;
  }

  void onSubscribed(SimulatedNode from, Continuity.Answer answer) {
    refusal = null;
    node = from;
    boolean refused = Boolean.FALSE.equals(answer.recovered());
    snapshot = refused || continuity.asksForSnapshot() ? new ArrayList<>() : null;
    continuity.onSubscribed(answer);
    checkSnapshot();
  }

  private void checkSnapshot() {
    if (snapshot != null && !continuity.isReplaying()) {
      world.onSnapshot(application, node, continuity.answer(), snapshot);
      snapshot = null;
    }
  }

  void onGap(String reason, long offset, long timeMs) {
    snapshot = null;
    world.onGap(application, reason, continuity.answer());
    continuity.onGap(reason, offset, timeMs);
  }

  void onConnectionLost() {
    snapshot = null;
    silent = false;
    channel = -1;
    continuity.onConnectionLost();
  }

  /** Takes a message; live offsets rise by one unless the subscription leaves messages out. */
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
    continuity.onMessage(id, offset);
    checkSnapshot();
  }

  /** Within a replay it means nothing yet. */
  void onCaughtUp(long timeMs) {
    if (continuity.isAnswered() && !continuity.isReplaying()) {
      application.checkCaughtUp(timeMs);
    }
    continuity.onCaughtUp(timeMs);
  }

  /** The whole offset of a binary message. */
  long wholeOffset(long low) {
    long reference = continuity.offset();
    if (continuity.isReplaying()) {
      reference = continuity.answer().offset();
      return reference - (reference - low & 0xFFFF_FFFFL);
    }
    return reference + 1 + (low - (reference + 1) & 0xFFFF_FFFFL);
  }
}
