package io.sluice.gateway.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.NetUtil;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Resolution of client addresses behind a trusted proxy at 10.0.0.1. */
final class ClientAddressesTest {
  private static final Config CONFIG =
      Config.defaults()
          .with(ServerSettings.TRUSTED_PROXIES, List.of("10.0.0.0/8", "2001:db8:aaaa::/48"));

  private static String resolve(String header, String nearest, String... lines) {
    ClientAddresses addresses =
        new ClientAddresses(
            ClientAddresses.Options.of(CONFIG.with(ServerSettings.FORWARDED_HEADER, header)));
    InetAddress peer = AddressRange.address(nearest).orElseThrow();
    return NetUtil.toAddressString(addresses.resolve(peer, List.of(lines)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "198.51.100.7 | 198.51.100.7",
        "198.51.100.7, 10.0.0.2 | 198.51.100.7",
        "203.0.113.1, 198.51.100.7, 10.0.0.2, 10.0.0.3 | 198.51.100.7",
        "10.0.0.3, 10.0.0.2 | 10.0.0.3",
        "198.51.100.7:4711 | 198.51.100.7",
        "2001:DB8::7 | 2001:db8::7",
        "[2001:db8::7]:443 | 2001:db8::7",
        "::ffff:198.51.100.7 | 198.51.100.7",
        "198.51.100.7, 2001:db8:aaaa::1 | 198.51.100.7",
        "unknown | 10.0.0.1",
        "198.51.100.7, garbage, 10.0.0.2 | 10.0.0.2",
        "198.51.100.7, , 10.0.0.2 | 10.0.0.2",
        "[2001:db8::7 | 10.0.0.1",
        "\", 198.51.100.7 | 198.51.100.7",
        "proxy.example | 10.0.0.1",
      })
  void shouldResolveXForwardedFor(String line, String client) {
    assertThat(resolve("x-forwarded-for", "10.0.0.1", line)).isEqualTo(client);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "for=198.51.100.7 | 198.51.100.7",
        "For=198.51.100.7;proto=https;by=10.0.0.2 | 198.51.100.7",
        "proto=https; for=198.51.100.7 | 198.51.100.7",
        "for=\"[2001:db8::7]:4711\" | 2001:db8::7",
        "for=\"198.51.100.7:80\", for=10.0.0.2 | 198.51.100.7",
        "for=203.0.113.1, for=198.51.100.7 | 198.51.100.7",
        "for=_hidden, for=10.0.0.2 | 10.0.0.2",
        "for=unknown | 10.0.0.1",
        "proto=https | 10.0.0.1",
        "for=\", for=198.51.100.7 | 198.51.100.7",
        "for=\"203.0.113.1, for=198.51.100.7 | 198.51.100.7",
        "for=198.51.100.7;host=\"a,b;c\" | 198.51.100.7",
        "for=198.51.100.7;host=\"a\\\",for=203.0.113.9;y=\\\"\" | 198.51.100.7",
        "for=198.51.100.7;host=\"a\\\";for=203.0.113.9;y=\\\"\" | 198.51.100.7",
        "198.51.100.7 | 10.0.0.1",
      })
  void shouldResolveForwarded(String line, String client) {
    assertThat(resolve("forwarded", "10.0.0.1", line)).isEqualTo(client);
  }

  @Test
  void shouldJoinAllLinesOfTheHeader() {
    assertThat(resolve("x-forwarded-for", "10.0.0.1", "203.0.113.1", "198.51.100.7, 10.0.0.2"))
        .isEqualTo("198.51.100.7");
    assertThat(resolve("x-forwarded-for", "10.0.0.1", "198.51.100.7", "10.0.0.2"))
        .isEqualTo("198.51.100.7");
  }

  @Test
  void shouldIgnoreTheHeaderOfAnUntrustedAddress() {
    assertThat(resolve("x-forwarded-for", "192.0.2.1", "198.51.100.7")).isEqualTo("192.0.2.1");
  }

  @Test
  void shouldReturnTheProxyWithoutTheHeader() {
    assertThat(resolve("forwarded", "10.0.0.1")).isEqualTo("10.0.0.1");
  }
}
