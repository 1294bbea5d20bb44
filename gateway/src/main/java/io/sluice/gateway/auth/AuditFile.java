package io.sluice.gateway.auth;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jctools.queues.MpscArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit log as lines of JSON. Any thread may tell it something; one of its own writes.
 *
 * <p>What comes faster than the disk takes it, or than the configured rate, is left out, counted,
 * and told in a line.
 */
final class AuditFile implements AuditLog {
  private static final Logger log = LoggerFactory.getLogger(AuditFile.class);
  private static final int EVENTS_A_TURN = 256;
  private static final long REST_NS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long CLOSE_MS = 2_000;

  private final AuditTarget target;
  private final Set<AuditEvent> kept;
  private final String node;
  private final int rate;
  private final LongSupplier clockNs;
  private final MpscArrayQueue<AuditRecord> queue;
  private final AtomicLong dropped = new AtomicLong();
  private final Thread writer = new Thread(this::run, "sluice-audit");
  private volatile LongConsumer counter = count -> {};
  private volatile boolean closed;
  private long windowNs;
  private int left;
  private boolean failing;

  /**
   * Begins to write.
   *
   * @param rate lines a second
   * @param waiting how many may wait for the disk
   * @param clockNs a clock that only rises, in nanoseconds, for the rate
   */
  AuditFile(
      AuditTarget target,
      Set<AuditEvent> kept,
      String node,
      int rate,
      int waiting,
      LongSupplier clockNs) {
    this.target = target;
    this.kept = kept;
    this.node = node;
    this.rate = rate;
    this.clockNs = clockNs;
    this.queue = new MpscArrayQueue<>(waiting);
    this.windowNs = clockNs.getAsLong();
    this.left = rate;
    writer.setDaemon(true);
    writer.start();
  }

  /** What is configured, perhaps {@link AuditLog#NONE}. */
  static AuditLog open(Config config) throws UnusableAuth {
    String file = config.get(Settings.AUDIT_FILE);
    if (file.isEmpty()) {
      return AuditLog.NONE;
    }
    Set<AuditEvent> kept = EnumSet.noneOf(AuditEvent.class);
    for (AuditEvent event : AuditEvent.values()) {
      if (config.get(Settings.AUDIT_EVENTS).contains(event.word())) {
        kept.add(event);
      }
    }
    try {
      return new AuditFile(
          file.equals("-") ? AuditTarget.standardOutput() : AuditTarget.of(Path.of(file)),
          kept,
          config.get(Settings.NODE_NAME),
          config.get(Settings.AUDIT_RATE),
          config.get(Settings.AUDIT_QUEUE),
          System::nanoTime);
    } catch (IOException e) {
      throw new UnusableAuth(Settings.AUDIT_FILE, file + " cannot be written: " + e, e);
    }
  }

  /** Whether {@link #open} could write where it is told to; nothing is made for the question. */
  static void check(Config config) throws UnusableAuth {
    String name = config.get(Settings.AUDIT_FILE);
    if (name.isEmpty() || name.equals("-")) {
      return;
    }
    Path file;
    try {
      file = Path.of(name).toAbsolutePath();
    } catch (InvalidPathException known) {
      return; // the settings' own rules tell of it
    }
    if (Files.isDirectory(file)) {
      throw new UnusableAuth(Settings.AUDIT_FILE, name + " is a folder", null);
    }
    Path written = Files.exists(file) ? file : file.getParent();
    if (!Files.isWritable(written)) {
      throw new UnusableAuth(Settings.AUDIT_FILE, name + " cannot be written", null);
    }
    if (written != file && !Files.isDirectory(written)) {
      throw new UnusableAuth(Settings.AUDIT_FILE, written + " is no folder", null);
    }
  }

  @Override
  public boolean keeps(AuditEvent event) {
    return kept.contains(event);
  }

  @Override
  public void connected(Peer peer) {
    add(AuditEvent.CONNECTED, peer, null);
  }

  @Override
  public void refreshed(Peer peer) {
    add(AuditEvent.REFRESHED, peer, null);
  }

  @Override
  public void disconnected(Peer peer) {
    add(AuditEvent.DISCONNECTED, peer, null);
  }

  @Override
  public void subscribed(Peer peer, String topic) {
    add(AuditEvent.SUBSCRIBED, peer, topic);
  }

  @Override
  public void published(Peer peer, String topic) {
    add(AuditEvent.PUBLISHED, peer, topic);
  }

  @Override
  public void refused(Peer peer, String what, String topic, String why) {
    add(AuditEvent.REFUSED, peer, null, what, null, topic, why, -1);
  }

  @Override
  public void revoked(String kind, String value, String by, int closedSessions) {
    add(AuditEvent.REVOKED, null, by, kind, value, null, null, closedSessions);
  }

  @Override
  public void restored(String kind, String value, String by) {
    add(AuditEvent.RESTORED, null, by, kind, value, null, null, -1);
  }

  @Override
  public void adminRefused(String what, String by, String why) {
    add(AuditEvent.ADMIN_REFUSED, null, by, what, null, null, why, -1);
  }

  @Override
  public void onDropped(LongConsumer listener) {
    counter = listener;
  }

  private void add(AuditEvent event, Peer peer, String topic) {
    if (keeps(event)) {
      add(AuditRecord.of(System.currentTimeMillis(), event, peer, topic));
    }
  }

  private void add(
      AuditEvent event,
      Peer peer,
      String by,
      String what,
      String value,
      String topic,
      String why,
      long count) {
    if (keeps(event)) {
      add(
          new AuditRecord(
              System.currentTimeMillis(), event.word(), peer, by, what, value, topic, why, count));
    }
  }

  private void add(AuditRecord event) {
    if (closed || !queue.offer(event)) {
      drop(1);
    }
  }

  private void drop(long count) {
    dropped.addAndGet(count);
    counter.accept(count);
  }

  private void run() {
    while (!closed) {
      if (!writeSome()) {
        LockSupport.parkNanos(REST_NS);
      }
    }
    while (writeSome()) {
      // what came before the end
    }
    try {
      target.close();
    } catch (IOException e) {
      onFailure(e);
    }
  }

  /** Returns whether there may be more to do at once. */
  private boolean writeSome() {
    StringBuilder lines = new StringBuilder();
    int count = 0;
    long missing = refill() ? dropped.getAndSet(0) : 0;
    if (missing > 0) {
      append(lines, AuditRecord.dropped(System.currentTimeMillis(), missing));
    }
    AuditRecord next = queue.poll();
    int taken = 0;
    while (next != null) {
      if (isAllowed(next)) {
        append(lines, next);
        count++;
      } else {
        drop(1);
      }
      next = ++taken < EVENTS_A_TURN ? queue.poll() : null;
    }
    if (lines.length() > 0) {
      write(lines, count, missing);
    }
    return taken > 0;
  }

  private void append(StringBuilder lines, AuditRecord event) {
    lines.append(event.json(node)).append('\n');
  }

  /** Whether there is room for a line in this second, of which a new one may have begun. */
  private boolean refill() {
    long nowNs = clockNs.getAsLong();
    if (nowNs - windowNs >= SECOND_NS) {
      windowNs = nowNs;
      left = rate;
    }
    return left > 0;
  }

  // What operators do is rare, and must not get lost among what clients do.
  private boolean isAllowed(AuditRecord event) {
    boolean isOperators =
        event.event().equals(AuditEvent.REVOKED.word())
            || event.event().equals(AuditEvent.RESTORED.word());
    return isOperators || (refill() && left-- > 0);
  }

  private void write(StringBuilder lines, int count, long missing) {
    try {
      target.write(lines.toString().getBytes(StandardCharsets.UTF_8));
      failing = false;
    } catch (IOException e) {
      dropped.addAndGet(missing); // they were counted before
      drop(count);
      onFailure(e);
      LockSupport.parkNanos(SECOND_NS);
    }
  }

  private void onFailure(IOException cause) {
    if (!failing) {
      failing = true;
      log.atError().setCause(cause).log("audit.failed");
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(writer);
    try {
      writer.join(CLOSE_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
