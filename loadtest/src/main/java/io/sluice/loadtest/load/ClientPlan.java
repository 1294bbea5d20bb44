package io.sluice.loadtest.load;

import io.sluice.loadtest.load.dialect.Dialect;
import io.sluice.loadtest.load.dialect.DialectOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Addresses and dialect shared by all clients. Immutable, for any thread. */
final class ClientPlan {
  private final GeneratorOptions options;
  private final InetSocketAddress to;
  private final List<InetSocketAddress> from;
  private final Dialect dialect;
  private final Set<Integer> measured;

  /**
   * Resolves the addresses.
   *
   * @throws IOException if a host name cannot be resolved
   */
  ClientPlan(GeneratorOptions options) throws IOException {
    this.options = options;
    this.to = new InetSocketAddress(address(options.url().host()), options.url().port());
    List<InetSocketAddress> addresses = new ArrayList<>();
    for (String name : options.fromAddresses()) {
      addresses.add(new InetSocketAddress(address(name), 0));
    }
    this.from = List.copyOf(addresses);
    this.measured =
        options.measurement() == null
            ? Set.of()
            : options.measurement().sample(options.first(), options.clients());
    this.dialect =
        options
            .protocol()
            .dialect(
                new DialectOptions(
                    options.url().authority(),
                    options.url().path(),
                    options.token(),
                    options.inflate(),
                    options.measurement() != null));
  }

  private static InetAddress address(String name) throws IOException {
    try {
      return InetAddress.getByName(name);
    } catch (UnknownHostException e) {
      throw new IOException("unknown host: " + name, e);
    }
  }

  GeneratorOptions options() {
    return options;
  }

  InetSocketAddress to() {
    return to;
  }

  /** Returns a client's local address, or null if the system chooses it. */
  InetSocketAddress from(int number) {
    return from.isEmpty() ? null : from.get(number % from.size());
  }

  /** Returns whether a client records latencies. */
  boolean isMeasured(int number) {
    return measured.contains(number);
  }

  Dialect dialect() {
    return dialect;
  }
}
