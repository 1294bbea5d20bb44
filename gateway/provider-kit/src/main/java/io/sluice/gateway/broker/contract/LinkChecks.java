package io.sluice.gateway.broker.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.contract.CheckedBroker.Consumer;
import io.sluice.gateway.broker.contract.CheckedBroker.Subscription;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import jakarta.jms.Connection;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Checks of lost and half-open connections, and of TLS, with a relay between client and broker, and
 * of a restarted broker. Confined to one thread.
 */
final class LinkChecks {
  private static final String LOCAL = "127.0.0.1";

  /** Another local address, for brokers on this machine. */
  private static final String OTHER = "127.0.0.2";

  private static final long RETRY_MS = 200;

  /** Maximum time until a restarted broker accepts connections. */
  private static final long RESTART_MS = 120_000;

  private static final PublishHeaders PERSISTENT =
      new PublishHeaders(
          PublishHeaders.DEFAULT_PRIORITY,
          0,
          0,
          PublishHeaders.Mode.PERSISTENT,
          null,
          null,
          null,
          null,
          null);

  private final ContractOptions options;
  private final BrokerRestart restart;

  /**
   * @param restart null if the broker must not be restarted
   */
  LinkChecks(ContractOptions options, BrokerRestart restart) {
    this.options = options;
    this.restart = restart;
  }

  /** Restarts the broker, which keeps a persistent message of a queue; returns the same times. */
  String restart() throws Exception {
    if (restart == null) {
      throw new Unchecked("--restart is not set");
    }
    String topic = options.base() + ".restart";
    String queue = topic + "queue";
    try (CheckedBroker broker = new CheckedBroker(options)) {
      broker.awaitConnected();
      Subscription subscription = broker.subscribe(topic, null);
      exchange(broker, subscription, topic);
      broker.publish(publication(Destination.queue(queue), PERSISTENT));
      long startNs = System.nanoTime();
      runRestart();
      String times = awaitReturn(broker, subscription, topic, startNs, RESTART_MS);
      try (Consumer consumer = broker.consume(queue, null, 2)) {
        consumer.next();
        Broken.unless(
            consumer.poll(ProviderContract.ABSENT_MS) == null,
            "a message of a queue arrived twice");
      }
      return times;
    }
  }

  /** Loss of all connections of a relay. */
  @FunctionalInterface
  private interface RelayLoss {
    void accept(LinkRelay relay);
  }

  /** Closes all connections; returns the time to the first message after that. */
  String reconnect() throws Exception {
    return lose("reconnect", false, LinkRelay::cut, CheckedBroker.WAIT_MS);
  }

  /** Stalls all connections without closing them; returns the same. */
  String halfOpen() throws Exception {
    long timeoutMs = options.canaryTimeoutMs();
    if (timeoutMs == 0) {
      throw new Unchecked("broker.canary.prefix is empty");
    }
    return lose("half-open", true, LinkRelay::stall, 2 * timeoutMs + CheckedBroker.WAIT_MS);
  }

  private String lose(String check, boolean proven, RelayLoss loss, long limitMs) throws Exception {
    RelayOptions address = options.relay().forRelay();
    String name = address.isTls() && address.isLocal() ? address.host() : LOCAL;
    String topic = options.base() + "." + check;
    try (LinkRelay relay = new LinkRelay(InetAddress.getByName(name), address.broker());
        CheckedBroker broker = new CheckedBroker(options.through(address, name, relay.port()))) {
      broker.awaitConnected();
      Subscription subscription = broker.subscribe(topic, null);
      exchange(broker, subscription, topic);
      if (proven) {
        broker.awaitProof();
      }
      long startNs = System.nanoTime();
      loss.accept(relay);
      return awaitReturn(broker, subscription, topic, startNs, limitMs);
    }
  }

  private void runRestart() throws Broken, InterruptedException {
    try {
      restart.run();
    } catch (IOException e) {
      throw new Broken(e.getMessage());
    }
  }

  private static String awaitReturn(
      CheckedBroker broker, Subscription subscription, String topic, long startNs, long limitMs)
      throws Refused, Broken, InterruptedException {
    broker.awaitLost(limitMs);
    double lost = secondsSince(startNs);
    broker.awaitConnected(Math.max(limitMs, CheckedBroker.WAIT_MS));
    double connected = secondsSince(startNs);
    exchangeAgain(broker, subscription, topic);
    return "lost after %.1f s, connected after %.1f s, published after %.1f s"
        .formatted(lost, connected, secondsSince(startNs));
  }

  private static double secondsSince(long startNs) {
    return (System.nanoTime() - startNs) / 1e9;
  }

  // A publish fails while its connection is not replaced.
  private static void exchangeAgain(CheckedBroker broker, Subscription subscription, String topic)
      throws Refused, Broken, InterruptedException {
    long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CheckedBroker.WAIT_MS);
    while (true) {
      try {
        exchange(broker, subscription, topic);
        return;
      } catch (Refused e) {
        if (System.nanoTime() - untilNs > 0) {
          throw e;
        }
        Thread.sleep(RETRY_MS);
      }
    }
  }

  private static void exchange(CheckedBroker broker, Subscription subscription, String topic)
      throws Refused, Broken, InterruptedException {
    broker.publish(publication(Destination.topic(topic), PublishHeaders.DEFAULT));
    subscription.next();
  }

  private static Publication publication(Destination to, PublishHeaders headers) {
    return new Publication(to, PayloadKind.TEXT, "x".getBytes(UTF_8), Map.of(), headers);
  }

  /** Connects by another address than that in the broker's certificate, which must fail. */
  String tls() throws Exception {
    RelayOptions address = options.relay();
    if (!address.isTls()) {
      throw new Unchecked("the URL does not use TLS");
    }
    String host = address.host().toLowerCase(Locale.ROOT);
    String name = host.equals(LOCAL) || host.equals("localhost") ? OTHER : LOCAL;
    try (LinkRelay relay = relay(name, address)) {
      Connection accepted;
      try {
        ContractOptions other = options.through(address, name, relay.port());
        accepted = other.jms().provider().newProvider().connect(0, () -> {});
      } catch (Exception e) { // clients report it in different ways
        Broken.unless(relay.isAnswered(), "the broker sent nothing: " + e.getMessage());
        return "";
      }
      accepted.close();
      throw new Broken("the client accepts a certificate for another name, at " + name);
    }
  }

  private static LinkRelay relay(String name, RelayOptions address) throws Unchecked {
    try {
      return new LinkRelay(InetAddress.getByName(name), address.broker());
    } catch (IOException e) {
      throw new Unchecked("this machine has no address " + name);
    }
  }
}
