package io.sluice.gateway.audit.file;

import io.sluice.gateway.limits.Shares;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jctools.queues.MpscArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queues of audit events, and the thread that writes them. Any thread may call {@link #add}, which
 * never blocks.
 *
 * <p>Operators' events are rare and must not be lost among clients' events. They have a separate
 * queue without a rate limit, and are retried after a failed write. Clients' events have
 * {@linkplain Shares shares} in their queue and in their rate, and {@linkplain RefusalRepeats
 * repeated} refusals are one line.
 */
final class AuditWriter implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AuditWriter.class);
  private static final int LINES_PER_BATCH = 256;
  private static final long IDLE_NS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long CLOSE_MS = 2_000;

  /**
   * Line of the current batch.
   *
   * @param dropped number of discarded events that the line reports; 0 for any other line
   */
  private record Line(String json, boolean isOperatorEvent, long dropped) {}

  private final AuditHistory history = new AuditHistory();
  private final AuditTarget target;
  private final String node;
  private final int rate;
  private final LongSupplier clockNs;
  private final MpscArrayQueue<AuditRecord> clients;
  private final MpscArrayQueue<AuditRecord> operators;
  private final Shares queued;
  private final AtomicLong dropped = new AtomicLong();
  private final Thread thread = new Thread(this::run, "sluice-audit");
  private volatile LongConsumer counter = count -> {};
  private volatile boolean closed;

  // Writing thread only.
  private final Deque<Line> batch = new ArrayDeque<>();
  private final Deque<AuditRecord> repeated = new ArrayDeque<>();
  private final RefusalRepeats repeats = new RefusalRepeats();
  private final Shares written;
  private AuditRecord current;
  private long windowNs;
  private boolean overRate;
  private boolean failing;

  /**
   * Starts the writing thread.
   *
   * @param rate largest number of lines about clients per second
   * @param capacity of each of the two queues, in events
   * @param clockNs monotonic clock in nanoseconds, for the rate
   */
  AuditWriter(AuditTarget target, String node, int rate, int capacity, LongSupplier clockNs) {
    this.target = target;
    this.node = node;
    this.rate = rate;
    this.clockNs = clockNs;
    this.queued = new Shares(capacity);
    this.written = new Shares(rate);
    this.clients = new MpscArrayQueue<>(capacity);
    this.operators = new MpscArrayQueue<>(capacity);
    this.windowNs = clockNs.getAsLong();
    thread.setDaemon(true);
    thread.start();
  }

  /** Sets the listener for the number of discarded events. */
  void onDropped(LongConsumer listener) {
    counter = listener;
  }

  /** Returns the latest lines, the latest first. */
  List<String> recent() {
    return history.latest();
  }

  void add(AuditRecord event) {
    boolean added =
        !closed && (event.isOperatorEvent() ? operators.offer(event) : addOfClient(event));
    if (!added) {
      drop(1);
    }
  }

  private boolean addOfClient(AuditRecord event) {
    if (!queued.take(event.user(), 1)) {
      return false;
    }
    boolean added = clients.offer(event);
    if (!added) {
      queued.release(event.user(), 1);
    }
    return added;
  }

  private void drop(long count) {
    dropped.addAndGet(count);
    counter.accept(count);
  }

  private void run() {
    try {
      while (!closed) {
        if (!writeSome()) {
          LockSupport.parkNanos(IDLE_NS);
        }
      }
      writeRemaining();
    } finally {
      closed = true; // also after an error: queued events would never be written
      drop(remaining());
    }
  }

  private void writeRemaining() {
    boolean more = true;
    while (more) {
      more = writeSome() && !failing;
    }
    repeats.end(repeated);
    while (!failing && !repeated.isEmpty()) {
      writeSome();
    }
    try {
      target.close();
    } catch (IOException e) {
      logFailure(e);
    }
  }

  private long remaining() {
    return batch.stream().filter(line -> line.dropped() == 0).count()
        + repeated.stream().mapToLong(AuditRecord::events).sum()
        + clients.size()
        + operators.size();
  }

  /** Writes one batch; returns whether more events may be queued. */
  private boolean writeSome() {
    try {
      boolean any = fill();
      if (!batch.isEmpty()) {
        write();
      }
      return any;
    } catch (RuntimeException | Error bug) { // one event must not prevent all later ones
      onFailed(bug, 0);
      return true;
    }
  }

  // The batch still contains operators' events of a failed write.
  private boolean fill() {
    long unreported = refill() && !overRate ? dropped.getAndSet(0) : 0;
    if (unreported > 0) {
      String json = AuditRecord.dropped(System.currentTimeMillis(), unreported).json(node);
      batch.add(new Line(json, false, unreported));
    }
    boolean any = false;
    while (batch.size() < LINES_PER_BATCH && take()) {
      any = true;
    }
    return any;
  }

  private boolean take() {
    current = poll();
    if (current == null) {
      return false;
    }
    boolean isRepeated = current.count() < 0 && repeats.add(current);
    if (!isRepeated) {
      if (current.isOperatorEvent() || isWithinRate()) {
        String json = current.json(node);
        batch.add(new Line(json, current.isOperatorEvent(), 0));
        history.add(current, json);
      } else {
        drop(current.events());
      }
    }
    current = null;
    return true;
  }

  private boolean isWithinRate() {
    boolean within = refill() && written.take(current.user(), 1);
    overRate |= !within;
    return within;
  }

  /** Returns the older event of both queues, so that lines are ordered by time. */
  private AuditRecord poll() {
    if (!repeated.isEmpty()) {
      return repeated.poll();
    }
    AuditRecord ofOperators = operators.peek();
    AuditRecord ofClients = clients.peek();
    boolean isNext =
        ofOperators != null && (ofClients == null || ofOperators.timeMs() < ofClients.timeMs());
    if (isNext || ofClients == null) {
      return operators.poll();
    }
    queued.release(ofClients.user(), 1);
    return clients.poll();
  }

  /** Starts a new second if one has passed; returns whether the rate allows another line. */
  private boolean refill() {
    long nowNs = clockNs.getAsLong();
    if (nowNs - windowNs >= SECOND_NS) {
      windowNs = nowNs;
      overRate = false;
      written.reset();
      repeats.end(repeated);
    }
    return written.used() < rate;
  }

  private void write() {
    StringBuilder text = new StringBuilder();
    batch.forEach(line -> text.append(line.json()).append('\n'));
    ByteBuffer bytes = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
    try {
      target.write(bytes);
      batch.clear();
      failing = false;
    } catch (IOException e) {
      onFailed(e, linesBefore(bytes));
    }
  }

  /** Returns the number of completely written lines: JSON contains no other line feeds. */
  private static int linesBefore(ByteBuffer bytes) {
    int lines = 0;
    for (int i = 0; i < bytes.position(); i++) {
      lines += bytes.get(i) == '\n' ? 1 : 0;
    }
    return lines;
  }

  private void onFailed(Throwable cause, int written) {
    for (int i = 0; i < written; i++) {
      batch.remove();
    }
    batch.forEach(this::countDropped);
    batch.removeIf(line -> !line.isOperatorEvent());
    if (current != null) {
      current = null;
      drop(1);
    }
    logFailure(cause);
    if (!closed) {
      LockSupport.parkNanos(SECOND_NS);
    }
  }

  private void countDropped(Line line) {
    if (line.dropped() > 0) {
      dropped.addAndGet(line.dropped()); // the metric has counted them before
    } else if (!line.isOperatorEvent()) {
      drop(1);
    }
  }

  private void logFailure(Throwable cause) {
    if (!failing) {
      failing = true;
      log.atError().setCause(cause).log("audit.failed");
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    try {
      thread.join(CLOSE_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
