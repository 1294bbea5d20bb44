package io.sluice.gateway.admin.why;

import io.sluice.gateway.audit.AuditEvent;
import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.websocket.CloseCode;
import io.vertx.core.json.JsonObject;
import java.util.OptionalInt;

/**
 * End of a session in the audit log. Immutable, for any thread.
 *
 * @param atMs Unix milliseconds
 * @param why stable reason, such as slow-consumer
 * @param by address of the operator who ended it; empty without one
 */
record SessionEnd(String node, String session, long atMs, String why, String by) {
  private static final String NODE = "node";
  private static final String SESSION = "session";
  private static final String AT = "at";
  private static final String WHY = "why";
  private static final String BY = "by";

  /** Returns the latest end of a session of a subject; null if there is none. */
  static SessionEnd latest(AuditLog audit, String subject) {
    String event = "\"event\":\"" + AuditEvent.DISCONNECTED.word() + '"';
    return audit.recent().stream()
        .filter(line -> line.contains(event))
        .map(JsonObject::new)
        .filter(line -> line.getString("subject", "").equals(subject))
        .findFirst()
        .map(SessionEnd::ofRecord)
        .orElse(null);
  }

  private static SessionEnd ofRecord(JsonObject line) {
    return new SessionEnd(
        line.getString(NODE),
        line.getString(SESSION, ""),
        line.getInstant("time").toEpochMilli(),
        line.getString(WHY, ""),
        line.getString(BY, ""));
  }

  /** Returns the later of two ends, each of which may be null. */
  static SessionEnd later(SessionEnd one, SessionEnd other) {
    return one == null || other != null && other.atMs > one.atMs ? other : one;
  }

  static SessionEnd of(JsonObject json) {
    return new SessionEnd(
        json.getString(NODE),
        json.getString(SESSION),
        json.getLong(AT),
        json.getString(WHY),
        json.getString(BY, ""));
  }

  JsonObject json() {
    JsonObject json =
        new JsonObject().put(NODE, node).put(SESSION, session).put(AT, atMs).put(WHY, why);
    CloseCode.number(why).ifPresent(code -> json.put("code", code));
    return by.isEmpty() ? json : json.put(BY, by);
  }

  /** Returns a part of a sentence, such as {@code the latest one, gw-1-2-3, ended at …}. */
  String text(long nowMs) {
    OptionalInt code = CloseCode.number(why);
    return "the latest one, "
        + session
        + ", ended at "
        + AgeText.ago(atMs, nowMs)
        + ": "
        + why
        + (code.isPresent() ? " (" + code.getAsInt() + ")" : "")
        + (by.isEmpty() ? "" : ", by " + by);
  }
}
