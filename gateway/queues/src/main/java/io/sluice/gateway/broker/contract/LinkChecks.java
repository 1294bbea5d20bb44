package io.sluice.gateway.broker.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.gateway.broker.Publication;
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
import java.util.function.Consumer;

/**
 * Checks of lost and half-open connections, and of TLS, with a relay between client and broker.
 * Confined to one thread.
 */
final class LinkChecks {
  private static final String LOCAL = "127.0.0.1";

  /** Another local address, for brokers on this machine. */
  private static final String OTHER = "127.0.0.2";

  private static final long RETRY_MS = 200;

  private final ContractOptions options;

  LinkChecks(ContractOptions options) {
    this.options = options;
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

  private String lose(String check, boolean proven, Consumer<LinkRelay> loss, long limitMs)
      throws Exception {
    RelayOptions address = options.relay();
    if (address.isTls()) {
      throw new Unchecked("a relay does not have the name in the broker's certificate");
    }
    String topic = options.base() + "." + check;
    try (LinkRelay relay = new LinkRelay(InetAddress.getByName(LOCAL), address.broker());
        CheckedBroker broker = new CheckedBroker(options.through(address, LOCAL, relay.port()))) {
      broker.awaitConnected();
      Subscription subscription = broker.subscribe(topic, null);
      exchange(broker, subscription, topic);
      if (proven) {
        broker.awaitProof();
      }
      long startNs = System.nanoTime();
      loss.accept(relay);
      broker.awaitLost(limitMs);
      double lost = secondsSince(startNs);
      broker.awaitConnected();
      double connected = secondsSince(startNs);
      exchangeAgain(broker, subscription, topic);
      return "lost after %.1f s, connected after %.1f s, published after %.1f s"
          .formatted(lost, connected, secondsSince(startNs));
    }
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
    broker.publish(
        new Publication(
            Destination.topic(topic),
            PayloadKind.TEXT,
            "x".getBytes(UTF_8),
            Map.of(),
            PublishHeaders.DEFAULT));
    subscription.next();
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
