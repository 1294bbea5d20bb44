package io.sluice.loadtest.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** Addresses and frames shared by all clients. Immutable, for any thread. */
final class ClientPlan {
  private final GeneratorOptions options;
  private final InetSocketAddress to;
  private final List<InetSocketAddress> from;
  private final byte[] connectFrame;

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
    this.connectFrame =
        options.token() == null
            ? null
            : frame("{\"type\":\"connect\",\"token\":\"", options.token());
  }

  private static InetAddress address(String name) throws IOException {
    try {
      return InetAddress.getByName(name);
    } catch (UnknownHostException e) {
      throw new IOException("unknown host: " + name, e);
    }
  }

  private static byte[] frame(String before, String last) {
    return (before + new String(JsonStringEncoder.getInstance().quoteAsString(last)) + "\"}")
        .getBytes(UTF_8);
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

  /** Returns the first frame of every client, or null without a token. */
  byte[] connectFrame() {
    return connectFrame;
  }

  byte[] subscribeFrame(int number) {
    return frame("{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"", options.topic(number));
  }
}
