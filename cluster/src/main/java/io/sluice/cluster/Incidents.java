package io.sluice.cluster;

import io.sluice.cluster.peer.PeerListener;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jgroups.Address;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counters and rate-limited log of failures between nodes: each is counted, and logged at most once
 * a minute. Any thread may call it.
 */
final class Incidents implements PeerListener {
  private static final Logger log = LoggerFactory.getLogger(Incidents.class);

  private final LogLimiter refusals = new LogLimiter();
  private final LogLimiter malformedMessages = new LogLimiter();
  private final LogLimiter unresponsive = new LogLimiter();
  private final LogLimiter acceptFailures = new LogLimiter();
  private final LogLimiter unknownNames = new LogLimiter();
  private final LogLimiter duplicateNames = new LogLimiter();
  private final LongAdder malformed = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder refused = new LongAdder();

  long malformed() {
    return malformed.sum();
  }

  long dropped() {
    return dropped.sum();
  }

  long refused() {
    return refused.sum();
  }

  void onDropped() {
    dropped.increment();
  }

  /** Reports an active node of the same name; an earlier incarnation of this node sends nothing. */
  void onDuplicateName(Node other) {
    long count = duplicateNames.count();
    if (count > 0) {
      log.atWarn()
          .addKeyValue("node", other.id())
          .addKeyValue("public-url", other.publicUrl())
          .addKeyValue("times", count)
          .log("cluster.duplicate-name");
    }
  }

  void onMalformed(Address from, IOException what) {
    malformed.increment();
    long count = malformedMessages.count();
    if (count > 0) {
      log.atWarn()
          .addKeyValue("node", from)
          .addKeyValue("why", String.valueOf(what.getMessage()))
          .addKeyValue("times", count)
          .log("cluster.malformed");
    }
  }

  /** Reports a peer that does not respond, or accepts a connection and sends nothing. */
  @Override
  public void onUnresponsive(SocketAddress address) {
    long count = unresponsive.count();
    if (count > 0) {
      log.atWarn()
          .addKeyValue("address", address)
          .addKeyValue("times", count)
          .log("cluster.peer-hangs");
    }
  }

  @Override
  public void onAcceptFailed(IOException cause) {
    long count = acceptFailures.count();
    if (count > 0) {
      log.atError()
          .addKeyValue("cause", cause.getMessage())
          .addKeyValue("times", count)
          .log("cluster.accept-failed");
    }
  }

  /** Reports a seed name that cannot be resolved. */
  void onUnknownName(String name) {
    long count = unknownNames.count();
    if (count > 0) {
      log.atWarn()
          .addKeyValue("name", name)
          .addKeyValue("times", count)
          .log("cluster.unknown-name");
    }
  }

  @Override
  public void onRefused(String address, String cause) {
    refused.increment();
    long count = refusals.count();
    if (count > 0) {
      log.atWarn()
          .addKeyValue("address", address)
          .addKeyValue("cause", cause)
          .addKeyValue("times", count)
          .log("cluster.peer-refused");
    }
  }

  /**
   * Rate limiter that admits one log event per minute with the number of suppressed ones. For any
   * thread.
   */
  private static final class LogLimiter {
    private static final long PAUSE_NS = TimeUnit.MINUTES.toNanos(1);

    private long lastNs;
    private long since;
    private boolean begun;

    /**
     * Counts an event; returns 0 if it is suppressed, else the number of events since the last log
     * event.
     */
    synchronized long count() {
      since++;
      long now = System.nanoTime();
      if (begun && now - lastNs < PAUSE_NS) {
        return 0;
      }
      begun = true;
      lastNs = now;
      long count = since;
      since = 0;
      return count;
    }
  }
}
