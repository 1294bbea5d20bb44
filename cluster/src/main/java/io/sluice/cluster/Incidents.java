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
 * What goes wrong between nodes: counted each time, logged once a minute. Any thread may call it.
 */
final class Incidents implements PeerListener {
  private static final Logger log = LoggerFactory.getLogger(Incidents.class);

  private final LogLimiter refusals = new LogLimiter();
  private final LogLimiter misunderstandings = new LogLimiter();
  private final LogLimiter hanging = new LogLimiter();
  private final LogLimiter acceptFailures = new LogLimiter();
  private final LogLimiter unknownNames = new LogLimiter();
  private final LogLimiter namesakes = new LogLimiter();
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

  /** Only whoever lives says something: a former life of this node does not. */
  void onNamesake(Node other) {
    long count = namesakes.count();
    if (count > 0) {
      log.atWarn()
          .addKeyValue("node", other.id())
          .addKeyValue("public-url", other.publicUrl())
          .addKeyValue("times", count)
          .log("cluster.duplicate-name");
    }
  }

  void onMalformed(Address from, MessageCodec.Malformed what) {
    malformed.increment();
    long count = misunderstandings.count();
    if (count > 0) {
      log.atWarn()
          .addKeyValue("from", from)
          .addKeyValue("problem", what.getMessage())
          .addKeyValue("times", count)
          .log("cluster.malformed");
    }
  }

  /** There is no answer, or the connection is taken and nothing said. */
  @Override
  public void onHanging(SocketAddress address) {
    long count = hanging.count();
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

  /** Nobody can be found by it now. */
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

  /** Admits one event a minute to the log, with the number of events since. For any thread. */
  private static final class LogLimiter {
    private static final long PAUSE_NS = TimeUnit.MINUTES.toNanos(1);

    private long lastNs;
    private long since;
    private boolean begun;

    /** 0 if nothing is to be said of this one, else how many there were, it included. */
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
