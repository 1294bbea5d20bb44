package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.BrokerThreads;
import io.sluice.gateway.broker.DiscardRisk;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.protocol.InterestKey;
import jakarta.jms.Connection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Topics with separate connections. A broker may close the connection of a slow consumer (Artemis:
 * {@code slow-consumer-policy} {@code KILL}, Classic: {@code abortConnection}), which ends all
 * topics of that connection. The topics that lagged then are opened on separate connections, whose
 * loss concerns no other topic. Bound to the control thread.
 */
final class SeparateTopics {
  private static final Logger log = LoggerFactory.getLogger(SeparateTopics.class);

  /** Lifetime of a connection after which the next loss counts as the first. */
  private static final long STABLE_NS = TimeUnit.MINUTES.toNanos(1);

  /** Owner of the connections that topics share. Control thread, except where stated otherwise. */
  interface Owner {
    /** Connects; waits for the broker. Any thread. */
    Connection connect(Runnable onLost) throws Exception;

    /** Runs a task on the control thread. Any thread. */
    void onControl(Runnable task);

    /** Runs a task on the control thread after a delay. */
    void later(Runnable task, long delayMs);

    /** Returns whether an interest still exists. */
    boolean isOpen(BrokerInterest interest);

    /**
     * Opens the consumer of an interest.
     *
     * @param connection its separate connection, or null for one that topics share
     */
    void open(
        BrokerInterest interest,
        BrokerConnection connection,
        OpenedConsumer replaced,
        boolean restores);

    /** Closes connections without waiting for the broker. */
    void close(List<Connection> connections);
  }

  /** Topic, its separate connection, and the latest interest in it. */
  private static final class Separate {
    private final Backoff backoff;
    private final long behind;
    private BrokerInterest interest;

    /** Null while it is not connected. */
    private BrokerConnection connection;

    /** True while a connection is being opened, or waits for that. */
    private boolean pending;

    /** Identifies late notifications of earlier connections. */
    private long number;

    private long connectedNs;

    /** True if it has been connected. */
    private boolean confirmed;

    /** True if the connection was lost alone. */
    private boolean lost;

    /** True if the interest did not exist at the latest check. */
    private boolean unused;

    Separate(BrokerInterest interest, Backoff backoff) {
      this.interest = interest;
      this.behind = interest.behind();
      this.backoff = backoff;
    }
  }

  private final Owner owner;
  private final int limit;
  private final Backoff backoff;
  private final LongSupplier clockNs;
  private final Map<InterestKey, Separate> topics = new LinkedHashMap<>();
  private long numbers;

  /** Topics for operators; read by any thread. */
  private volatile List<DiscardRisk> listed = List.of();

  /**
   * Creates an instance without topics.
   *
   * @param limit maximum number of separate connections
   * @param backoff pattern of the delays before reconnects
   * @param clockNs clock of the lifetime of connections
   */
  SeparateTopics(Owner owner, int limit, Backoff backoff, LongSupplier clockNs) {
    this.owner = owner;
    this.limit = limit;
    this.backoff = backoff;
    this.clockNs = clockNs;
  }

  /** Returns the separate topics. Any thread. */
  List<DiscardRisk> risks() {
    return listed;
  }

  /**
   * Selects the topics of the next connections when all connections are lost: those that lag, the
   * one with the longest backlog first. Returns the present connections, which the caller closes.
   *
   * @param interests all interests, with the consumers of the lost connections
   */
  List<Connection> onLost(Collection<BrokerInterest> interests) {
    List<Connection> lost = disconnect();
    topics.values().removeIf(each -> !each.lost && each.interest.behind() == 0);
    topics.values().forEach(each -> each.lost = false);
    interests.stream()
        .filter(interest -> interest.behind() > 0 && !topics.containsKey(interest.key()))
        .sorted(Comparator.comparingLong(BrokerInterest::behind).reversed())
        .limit(Math.max(0, limit - topics.size()))
        .forEach(each -> topics.put(each.key(), new Separate(each, backoff.another())));
    list();
    return lost;
  }

  /** The broker does not accept connections: it has not closed them because of a lagging topic. */
  void onUnreachable() {
    topics.values().removeIf(each -> !each.confirmed);
  }

  private List<Connection> disconnect() {
    List<Connection> connected = new ArrayList<>();
    for (Separate each : topics.values()) {
      each.interest.setOpening(false);
      each.pending = false;
      disconnect(each, connected);
    }
    return connected;
  }

  private void disconnect(Separate separate, List<Connection> connected) {
    separate.number = ++numbers;
    if (separate.connection != null) {
      connected.add(separate.connection.jms());
      separate.connection = null;
    }
  }

  private void list() {
    listed =
        topics.values().stream()
            .filter(each -> each.confirmed && owner.isOpen(each.interest))
            .map(
                each ->
                    new DiscardRisk(
                        each.interest.key().toString(),
                        "connection",
                        "separate",
                        "the broker closed the connection while this topic lagged; positions of"
                            + " other nodes are not recovered"))
            .toList();
  }

  /** Forgets all topics. Returns their connections, which the caller closes. */
  List<Connection> stop() {
    List<Connection> connected = disconnect();
    topics.clear();
    list();
    return connected;
  }

  /** Closes the connections of interests that no longer exist. Called periodically. */
  void check() {
    List<Connection> closing = new ArrayList<>();
    for (Separate each : topics.values()) {
      boolean closed = each.unused; // its consumer was closed before
      each.unused = each.connection != null && !owner.isOpen(each.interest);
      if (closed && each.unused) {
        disconnect(each, closing);
      }
    }
    if (!closing.isEmpty()) {
      owner.close(closing);
      list();
    }
  }

  /**
   * Connects and opens a topic if it has, or is to have, a separate connection. Returns whether it
   * does. An interest that exists no longer is replaced.
   *
   * @param restores whether the interest existed when the shared connections were established
   */
  boolean open(BrokerInterest interest, boolean restores) {
    Separate separate = topics.get(interest.key());
    if (separate == null || separate.interest != interest && owner.isOpen(separate.interest)) {
      return false;
    }
    separate.interest = interest;
    interest.setOpening(true);
    if (separate.connection != null) {
      owner.open(interest, separate.connection, null, restores);
      list();
    } else if (!separate.pending) {
      connect(separate, null, restores);
    }
    return true;
  }

  private void connect(Separate separate, OpenedConsumer replaced, boolean restores) {
    separate.pending = true;
    separate.number = ++numbers;
    long number = separate.number;
    try {
      BrokerThreads.SYSTEM.start(
          () -> connect(separate, number, replaced, restores), "sluice-broker-separate");
    } catch (OutOfMemoryError e) { // no thread can be started
      onRefused(separate, replaced, restores, e);
    }
  }

  private void connect(Separate separate, long number, OpenedConsumer replaced, boolean restores) {
    Connection jms = null;
    try {
      jms = owner.connect(() -> owner.onControl(() -> onLost(separate, number)));
      BrokerConnection connection = new BrokerConnection(jms, clockNs, true);
      owner.onControl(() -> onConnected(separate, number, connection, replaced, restores));
    } catch (Throwable e) { // a provider's client may fail in any way
      List<Connection> failed = jms == null ? List.of() : List.of(jms);
      owner.onControl(
          () -> {
            owner.close(failed);
            if (separate.number == number) {
              onRefused(separate, replaced, restores, e);
            }
          });
    }
  }

  private void onConnected(
      Separate separate,
      long number,
      BrokerConnection connection,
      OpenedConsumer replaced,
      boolean restores) {
    if (separate.number != number) {
      owner.close(List.of(connection.jms()));
      return;
    }
    separate.pending = false;
    separate.connection = connection;
    separate.connectedNs = clockNs.getAsLong();
    if (!separate.confirmed) {
      separate.confirmed = true;
      log.atWarn()
          .addKeyValue("topic", separate.interest.key())
          .addKeyValue("behind", separate.behind)
          .addKeyValue("reason", "it lagged when the broker closed the connection")
          .log("interest.separated");
    }
    list();
    owner.open(separate.interest, connection, replaced, restores);
  }

  // The broker may limit the number of connections.
  private void onRefused(
      Separate separate, OpenedConsumer replaced, boolean restores, Throwable cause) {
    topics.remove(separate.interest.key());
    list();
    log.atWarn()
        .addKeyValue("topic", separate.interest.key())
        .addKeyValue("cause", ServiceUrl.masked(String.valueOf(cause)))
        .log("interest.not-separated");
    owner.open(separate.interest, null, replaced, restores);
  }

  private void onLost(Separate separate, long number) {
    if (separate.number == number && separate.connection != null) {
      reopen(separate);
    }
  }

  /**
   * Replaces the connection of a topic, whose consumer or opening has failed. Its clients receive a
   * gap when it is active again. Returns whether the interest has a separate connection.
   */
  boolean reopen(BrokerInterest interest) {
    Separate separate = topics.get(interest.key());
    if (separate == null || separate.interest != interest) {
      return false;
    }
    if (!separate.pending) {
      reopen(separate);
    }
    return true;
  }

  private void reopen(Separate separate) {
    List<Connection> lost = new ArrayList<>();
    disconnect(separate, lost);
    owner.close(lost);
    separate.lost = true;
    if (clockNs.getAsLong() - separate.connectedNs > STABLE_NS) {
      separate.backoff.reset();
    }
    if (!owner.isOpen(separate.interest)) {
      return;
    }
    OpenedConsumer replaced = separate.interest.release();
    separate.interest.setOpening(true);
    separate.pending = true;
    long number = separate.number;
    log.atWarn().addKeyValue("topic", separate.interest.key()).log("interest.lost");
    owner.later(
        () -> {
          if (separate.number == number) {
            connect(separate, replaced, false);
          }
        },
        separate.backoff.nextMs());
  }
}
