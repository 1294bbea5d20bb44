package io.sluice.gateway.audit.file;

import io.sluice.gateway.audit.AuditEvent;
import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.NearestKey;
import io.sluice.gateway.config.ValueText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * Audit log in JSON lines: creates the records for its {@link AuditWriter}. For any thread.
 *
 * <p>Events beyond the capacity of the disk or the maximum rate are discarded, counted and reported
 * in a line.
 */
public final class AuditFile implements AuditLog {
  private static final List<String> WORDS =
      Stream.of(AuditEvent.values()).map(AuditEvent::word).toList();

  /** Largest number of queued events of clients, and of operators. */
  private static final int QUEUE = 8192;

  private final Set<AuditEvent> recorded;
  private final AuditWriter writer;

  AuditFile(Set<AuditEvent> recorded, AuditWriter writer) {
    this.recorded = recorded;
    this.writer = writer;
  }

  /**
   * Opens the configured log, or one in memory for operators' events.
   *
   * @throws IOException if the file cannot be written; the message names it
   */
  public static AuditLog open(AuditOptions options) throws IOException {
    String file = options.file();
    if (file.isEmpty()) {
      return new AuditMemory(options.node());
    }
    Set<AuditEvent> recorded = EnumSet.noneOf(AuditEvent.class);
    for (AuditEvent event : AuditEvent.values()) {
      if (options.events().contains(event.word())) {
        recorded.add(event);
      }
    }
    try {
      return new AuditFile(
          recorded,
          new AuditWriter(
              file.equals("-") ? AuditTarget.standardOutput() : AuditTarget.of(Path.of(file)),
              options.node(),
              RATE,
              QUEUE,
              System::nanoTime));
    } catch (IOException e) {
      throw new IOException(file + " cannot be written: " + e, e);
    }
  }

  /** Reports problems that would make {@link #open} fail. Creates and writes nothing. */
  public static void check(ConfigFindings findings) {
    AuditOptions options = AuditOptions.of(findings.config());
    for (String event : options.events()) {
      if (!WORDS.contains(event)) {
        findings.report(
            ValueText.quote(event) + " is unknown" + NearestKey.hint(event, WORDS),
            "some of " + String.join(", ", WORDS),
            AdminSettings.AUDIT_EVENTS);
      }
    }
    String name = options.file();
    if (!name.isEmpty() && !name.equals("-")) {
      problem(name).ifPresent(what -> findings.report(what, "", AdminSettings.AUDIT_FILE));
    }
  }

  private static Optional<String> problem(String name) {
    Path file;
    try {
      file = Path.of(name).toAbsolutePath();
    } catch (InvalidPathException malformed) {
      return Optional.empty(); // the rules report it
    }
    if (Files.isDirectory(file)) {
      return Optional.of(name + " is a folder");
    }
    Path written = Files.exists(file) ? file : file.getParent();
    if (!Files.isWritable(written)) {
      return Optional.of(name + " cannot be written");
    }
    return written == file || Files.isDirectory(written)
        ? Optional.empty()
        : Optional.of(written + " is not a folder");
  }

  @Override
  public boolean isRecorded(AuditEvent event) {
    return recorded.contains(event);
  }

  @Override
  public void connected(Client client) {
    add(AuditEvent.CONNECTED, client, null);
  }

  @Override
  public void refreshed(Client client) {
    add(AuditEvent.REFRESHED, client, null);
  }

  @Override
  public void disconnected(Client client, String why, String by) {
    Operator operator = by == null ? null : new Operator(by, "");
    add(AuditEvent.DISCONNECTED, client, operator, null, null, null, why, -1);
  }

  @Override
  public void subscribed(Client client, String topic) {
    add(AuditEvent.SUBSCRIBED, client, Resource.topic(topic));
  }

  @Override
  public void consuming(Client client, Resource resource) {
    add(AuditEvent.CONSUMING, client, resource);
  }

  @Override
  public void deleted(Client client, String topic, String name) {
    add(AuditEvent.DELETED, client, null, null, name, Resource.topic(topic), null, -1);
  }

  @Override
  public void published(Client client, Resource resource) {
    add(AuditEvent.PUBLISHED, client, resource);
  }

  @Override
  public void refused(Client client, String what, Resource resource, String why) {
    add(AuditEvent.REFUSED, client, null, what, null, resource, why, -1);
  }

  @Override
  public void revoked(String kind, String value, Operator by, int closedSessions) {
    add(AuditEvent.REVOKED, null, by, kind, value, null, null, closedSessions);
  }

  @Override
  public void restored(String kind, String value, Operator by) {
    add(AuditEvent.RESTORED, null, by, kind, value, null, null, -1);
  }

  @Override
  public void commanded(String what, String value, Operator by, String why) {
    add(AuditEvent.COMMANDED, null, by, what, value, null, why, -1);
  }

  @Override
  public void adminRefused(String what, Operator by, String why) {
    add(AuditEvent.ADMIN_REFUSED, null, by, what, null, null, why, -1);
  }

  @Override
  public void onDropped(LongConsumer listener) {
    writer.onDropped(listener);
  }

  @Override
  public List<String> recent() {
    return writer.recent();
  }

  private void add(AuditEvent event, Client client, Resource resource) {
    if (isRecorded(event)) {
      writer.add(AuditRecord.of(System.currentTimeMillis(), event, client, resource));
    }
  }

  private void add(
      AuditEvent event,
      Client client,
      Operator by,
      String what,
      String value,
      Resource resource,
      String why,
      long count) {
    if (isRecorded(event)) {
      writer.add(
          new AuditRecord(
              System.currentTimeMillis(),
              event.word(),
              client,
              by,
              what,
              value,
              resource,
              why,
              count));
    }
  }

  @Override
  public void close() {
    writer.close();
  }
}
