package io.sluice.gateway.admission;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Resolves client addresses from a forwarding header whose first lines are sent by the client. The
 * address added by the trusted proxy must be found, regardless of those lines.
 */
public final class ForwardedFuzz {
  private static final Config CONFIG =
      Config.defaults().with(ServerSettings.TRUSTED_PROXIES, List.of("10.0.0.0/8"));
  private static final List<AddressRange> TRUSTED =
      AddressRange.listOf(CONFIG, ServerSettings.TRUSTED_PROXIES);
  private static final ClientAddresses LISTED = addresses("x-forwarded-for");
  private static final ClientAddresses PAIRED = addresses("forwarded");

  private static final InetAddress PROXY = address("10.0.0.1");
  private static final InetAddress CLIENT = address("198.51.100.7");

  private ForwardedFuzz() {}

  private static ClientAddresses addresses(String header) {
    return new ClientAddresses(
        ClientAddresses.Options.of(CONFIG.with(ServerSettings.FORWARDED_HEADER, header)));
  }

  private static InetAddress address(String text) {
    return AddressRange.address(text).orElseThrow();
  }

  public static void fuzzerTestOneInput(byte[] input) {
    String text = new String(input, ISO_8859_1);
    List<String> lines = List.of(text.split("\n", -1));
    checkListed(lines);
    checkPaired(lines, text.replace("\\", "\\\\").replace("\"", "\\\""));
  }

  private static void checkListed(List<String> lines) {
    checkFound(LISTED, lines, "198.51.100.7");
    checkFound(LISTED, lines, "[::ffff:198.51.100.7]:4711");
    checkFound(LISTED, lines, "198.51.100.7:80, 10.0.0.3,10.0.0.2");
    if (lines.stream().noneMatch(line -> line.contains("\""))) {
      assertThat(LISTED.resolve(PROXY, lines)).isEqualTo(expected(lines));
    }
  }

  /** A proxy may also forward the client's host, as a quoted string. */
  private static void checkPaired(List<String> lines, String quoted) {
    checkFound(PAIRED, lines, "for=198.51.100.7");
    checkFound(PAIRED, lines, "proto=https;for=\"198.51.100.7:80\", for=10.0.0.2");
    checkFound(PAIRED, lines, "for=198.51.100.7;host=\"" + quoted + "\"");
    checkFound(PAIRED, lines, "host=\"" + quoted + "\";for=198.51.100.7");
  }

  private static void checkFound(ClientAddresses addresses, List<String> sent, String added) {
    List<String> asLine = new ArrayList<>(sent);
    asLine.add(added);
    List<String> inLine = new ArrayList<>(sent);
    inLine.set(sent.size() - 1, sent.get(sent.size() - 1) + ", " + added);
    assertThat(addresses.resolve(PROXY, asLine)).as("after a line").isEqualTo(CLIENT);
    assertThat(addresses.resolve(PROXY, inLine)).as("in a line").isEqualTo(CLIENT);
    assertThat(addresses.resolve(CLIENT, sent)).as("by itself").isEqualTo(CLIENT);
    assertThat(addresses.resolve(PROXY, sent)).isNotNull();
  }

  /** Resolves the client by plain splitting, for input without quotes. */
  private static InetAddress expected(List<String> lines) {
    List<String> hops = new ArrayList<>(List.of(String.join(",", lines).split(",", -1)));
    Collections.reverse(hops);
    InetAddress client = PROXY;
    for (String hop : hops) {
      Optional<InetAddress> next = hop(hop.strip());
      if (next.isEmpty() || !AddressRange.anyContains(TRUSTED, client)) {
        return client;
      }
      client = next.get();
    }
    return client;
  }

  private static Optional<InetAddress> hop(String text) {
    String plain = text;
    if (text.startsWith("[")) {
      plain = text.contains("]") ? text.substring(1, text.indexOf(']')) : "";
    } else if (text.matches("[^:]*:[^:]*")) {
      plain = text.substring(0, text.indexOf(':'));
    }
    return AddressRange.address(plain);
  }
}
