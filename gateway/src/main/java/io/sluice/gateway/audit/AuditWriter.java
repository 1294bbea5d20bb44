package io.sluice.gateway.audit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jctools.queues.MpscArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What waits for the audit log's disk, and the thread that writes it. {@link #add} may be called by
 * any thread, and is never held up.
 *
 * <p>What operators do is rare, and must not get lost among what clients do: it waits in a queue of
 * its own, no rate holds for it, and a failed write does not cost it.
 */
final class AuditWriter implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AuditWriter.class);
  private static final int LINES_A_TURN = 256;
  private static final long REST_NS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long CLOSE_MS = 2_000;

  /**
   * A line of this turn.
   *
   * @param missing how many it tells to be missing; 0 if it tells of something else
   */
  private record Line(String json, boolean isOperators, long missing) {}

  private final AuditTarget target;
  private final String node;
  private final int rate;
  private final LongSupplier clockNs;
  private final MpscArrayQueue<AuditRecord> clients;
  private final MpscArrayQueue<AuditRecord> operators;
  private final AtomicLong dropped = new AtomicLong();
  private final Thread thread = new Thread(this::run, "sluice-audit");
  private volatile LongConsumer counter = count -> {};
  private volatile boolean closed;

  // Of the writing thread alone.
  private final Deque<Line> turn = new ArrayDeque<>();
  private AuditRecord inHand;
  private long windowNs;
  private int left;
  private boolean failing;

  /**
   * Begins to write.
   *
   * @param rate lines about clients, a second
   * @param waiting how many events of clients may wait, and how many of operators
   * @param clockNs a clock that only rises, in nanoseconds, for the rate
   */
  AuditWriter(AuditTarget target, String node, int rate, int waiting, LongSupplier clockNs) {
    this.target = target;
    this.node = node;
    this.rate = rate;
    this.clockNs = clockNs;
    this.clients = new MpscArrayQueue<>(waiting);
    this.operators = new MpscArrayQueue<>(waiting);
    this.windowNs = clockNs.getAsLong();
    this.left = rate;
    thread.setDaemon(true);
    thread.start();
  }

  /** From now on this hears how many events could not be kept. */
  void onDropped(LongConsumer listener) {
    counter = listener;
  }

  void add(AuditRecord event) {
    if (closed || !(event.isOperators() ? operators : clients).offer(event)) {
      drop(1);
    }
  }

  private void drop(long count) {
    dropped.addAndGet(count);
    counter.accept(count);
  }

  private void run() {
    try {
      while (!closed) {
        if (!writeSome()) {
          LockSupport.parkNanos(REST_NS);
        }
      }
      writeRest();
    } finally {
      closed = true; // however it ended, nobody shall add to what nobody writes
      drop(rest());
    }
  }

  private void writeRest() {
    boolean more = true;
    while (more) {
      more = writeSome() && !failing;
    }
    try {
      target.close();
    } catch (IOException e) {
      tell(e);
    }
  }

  private long rest() {
    return turn.stream().filter(line -> line.missing() == 0).count()
        + clients.size()
        + operators.size();
  }

  /** Returns whether there may be more to do at once. */
  private boolean writeSome() {
    try {
      boolean any = fill();
      if (!turn.isEmpty()) {
        write();
      }
      return any;
    } catch (RuntimeException | Error bug) { // one event must not cost all that come after it
      onFailed(bug, 0);
      return true;
    }
  }

  // What operators did in a turn that failed is still there.
  private boolean fill() {
    long missing = refill() ? dropped.getAndSet(0) : 0;
    if (missing > 0) {
      String json = AuditRecord.dropped(System.currentTimeMillis(), missing).json(node);
      turn.add(new Line(json, false, missing));
    }
    boolean any = false;
    while (turn.size() < LINES_A_TURN && take()) {
      any = true;
    }
    return any;
  }

  private boolean take() {
    inHand = poll();
    if (inHand == null) {
      return false;
    }
    if (inHand.isOperators() || (refill() && left-- > 0)) {
      turn.add(new Line(inHand.json(node), inHand.isOperators(), 0));
    } else {
      drop(1);
    }
    inHand = null;
    return true;
  }

  /** The older one, so that lines stand in the order of their times. */
  private AuditRecord poll() {
    AuditRecord ofOperators = operators.peek();
    AuditRecord ofClients = clients.peek();
    boolean isNext =
        ofOperators != null && (ofClients == null || ofOperators.timeMs() < ofClients.timeMs());
    return isNext ? operators.poll() : clients.poll();
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

  private void write() {
    StringBuilder text = new StringBuilder();
    turn.forEach(line -> text.append(line.json()).append('\n'));
    ByteBuffer bytes = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
    try {
      target.write(bytes);
      turn.clear();
      failing = false;
    } catch (IOException e) {
      onFailed(e, linesBefore(bytes));
    }
  }

  /** How many lines are written in whole: in JSON, no other line feed comes. */
  private static int linesBefore(ByteBuffer bytes) {
    int lines = 0;
    for (int i = 0; i < bytes.position(); i++) {
      lines += bytes.get(i) == '\n' ? 1 : 0;
    }
    return lines;
  }

  private void onFailed(Throwable cause, int written) {
    for (int i = 0; i < written; i++) {
      turn.remove();
    }
    turn.forEach(this::giveUp);
    turn.removeIf(line -> !line.isOperators());
    if (inHand != null) {
      inHand = null;
      drop(1);
    }
    tell(cause);
    if (!closed) {
      LockSupport.parkNanos(SECOND_NS);
    }
  }

  private void giveUp(Line line) {
    if (line.missing() > 0) {
      dropped.addAndGet(line.missing()); // they were counted before
    } else if (!line.isOperators()) {
      drop(1);
    }
  }

  private void tell(Throwable cause) {
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
