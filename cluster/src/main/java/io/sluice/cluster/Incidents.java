package io.sluice.cluster;

import io.sluice.cluster.peer.PeerListener;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jgroups.Address;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;
import org.slf4j.spi.NOPLoggingEventBuilder;

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
  final LongAdder malformed = new LongAdder();
  final LongAdder dropped = new LongAdder();
  final LongAdder refused = new LongAdder();

  /** Reports an active node of the same name; an earlier incarnation of this node sends nothing. */
  void onDuplicateName(Node other) {
    duplicateNames
        .limit(log.atWarn())
        .addKeyValue("node", other.id())
        .addKeyValue("public-url", other.publicUrl())
        .log("cluster.duplicate-name");
  }

  void onMalformed(Address from, IOException what) {
    malformed.increment();
    malformedMessages
        .limit(log.atWarn())
        .addKeyValue("node", from)
        .addKeyValue("why", String.valueOf(what.getMessage()))
        .log("cluster.malformed");
  }

  /** Reports a peer that does not respond, or accepts a connection and sends nothing. */
  @Override
  public void onUnresponsive(SocketAddress address) {
    unresponsive.limit(log.atWarn()).addKeyValue("address", address).log("cluster.peer-hangs");
  }

  @Override
  public void onAcceptFailed(IOException cause) {
    acceptFailures
        .limit(log.atError())
        .addKeyValue("cause", cause.getMessage())
        .log("cluster.accept-failed");
  }

  /** Reports a seed name that cannot be resolved. */
  void onUnknownName(String name) {
    unknownNames.limit(log.atWarn()).addKeyValue("name", name).log("cluster.unknown-name");
  }

  @Override
  public void onRefused(String address, String cause) {
    refused.increment();
    refusals
        .limit(log.atWarn())
        .addKeyValue("address", address)
        .addKeyValue("cause", cause)
        .log("cluster.peer-refused");
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

    /** Counts an event; returns one that is discarded if it is suppressed. */
    synchronized LoggingEventBuilder limit(LoggingEventBuilder event) {
      since++;
      long now = System.nanoTime();
      if (begun && now - lastNs < PAUSE_NS) {
        return NOPLoggingEventBuilder.singleton();
      }
      begun = true;
      lastNs = now;
      long count = since;
      since = 0;
      return event.addKeyValue("times", count);
    }
  }
}
