package io.sluice.gateway.audit.file;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.gateway.audit.AuditEvent;
import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.protocol.value.JsonText;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One line of the audit log; null values are omitted. Immutable, for any thread.
 *
 * @param timeMs time of the event, Unix milliseconds
 * @param event a word of {@link AuditEvent}, or {@code dropped}
 * @param client the client, or null
 * @param by the operator, or null
 * @param what the rejected action, the command, or the kind of revocation
 * @param value the revoked value, or the deleted subscription
 * @param count number of closed sessions, of discarded events, or of a client's events that this
 *     one represents; -1 if none
 */
record AuditRecord(
    long timeMs,
    String event,
    AuditLog.Client client,
    Operator by,
    String what,
    String value,
    AuditLog.Resource resource,
    String why,
    long count) {

  /** Largest number of characters of a text; longer ones are truncated and end with an ellipsis. */
  static final int MAX_TEXT = 512;

  private static final Set<String> OPERATORS =
      Stream.of(AuditEvent.REVOKED, AuditEvent.RESTORED, AuditEvent.COMMANDED)
          .map(AuditEvent::word)
          .collect(Collectors.toUnmodifiableSet());

  static AuditRecord of(
      long timeMs, AuditEvent event, AuditLog.Client client, AuditLog.Resource resource) {
    return new AuditRecord(timeMs, event.word(), client, null, null, null, resource, null, -1);
  }

  static AuditRecord dropped(long timeMs, long count) {
    return new AuditRecord(timeMs, "dropped", null, null, null, null, null, null, count);
  }

  /** Returns this event as one that represents several. */
  AuditRecord withCount(long number) {
    return new AuditRecord(timeMs, event, client, by, what, value, resource, why, number);
  }

  /** Returns the principal whose shares the event uses; a network without a credential. */
  String user() {
    if (client == null) {
      return by == null ? "" : by.address();
    }
    return client.subject().isEmpty() || client.mechanism().equals("anonymous")
        ? AddressRange.network(client.address())
        : client.mechanism() + ' ' + client.subject();
  }

  /** Returns the number of events that this one represents. */
  long events() {
    return client == null ? 1 : Math.max(1, count);
  }

  /** Returns whether the event is an operator's action. */
  boolean isOperatorEvent() {
    return OPERATORS.contains(event);
  }

  /** Returns a JSON object on one line, without the line feed; JSON escapes line feeds in texts. */
  String json(String node) {
    StringWriter line = new StringWriter(256);
    try (JsonGenerator json = JsonText.generator(line)) {
      json.writeStartObject();
      json.writeStringField("time", Instant.ofEpochMilli(timeMs).toString());
      json.writeStringField("node", node);
      json.writeStringField("event", event);
      if (client != null) {
        write(json, "session", client.session());
        write(json, "subject", client.subject());
        write(json, "mechanism", client.mechanism());
        write(json, "token", client.credentialId());
        write(json, "address", client.address());
      }
      if (by != null) {
        write(json, "by", by.address());
        write(json, "with", by.credential());
        write(json, "via", by.via());
      }
      write(json, "what", what);
      write(json, "value", value);
      if (resource != null) {
        write(json, resource.kind(), resource.name());
      }
      write(json, "why", why);
      if (count >= 0) {
        json.writeNumberField("count", count);
      }
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // the writer is in memory
    }
    return line.toString();
  }

  private static void write(JsonGenerator json, String name, String text) throws IOException {
    if (text != null && !text.isEmpty()) {
      json.writeStringField(name, shortened(text));
    }
  }

  private static String shortened(String text) {
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "\u2026";
  }
}
