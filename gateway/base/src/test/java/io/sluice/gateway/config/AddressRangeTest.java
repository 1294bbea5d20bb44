package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AddressRangeTest {
  @ParameterizedTest
  @CsvSource({
    "10.0.0.7, 10.0.0.7, true",
    "10.0.0.7, 10.0.0.8, false",
    "10.0.0.0/8, 10.255.1.2, true",
    "10.0.0.0/8, 11.0.0.0, false",
    "192.168.4.0/22, 192.168.7.255, true",
    "192.168.4.0/22, 192.168.8.0, false",
    "10.0.0.0/31, 10.0.0.1, true",
    "10.0.0.0/31, 10.0.0.2, false",
    "0.0.0.0/0, 203.0.113.9, true",
    "0.0.0.0/0, 2001:db8::1, false",
    "::/0, 2001:db8::1, true",
    "2001:db8::/33, 2001:db8:7fff::1, true",
    "2001:db8::/33, 2001:db8:8000::1, false",
    "::1, ::1, true",
    "10.0.0.7, ::ffff:10.0.0.7, true"
  })
  void shouldContainAddressesWithItsPrefix(String range, String address, boolean has) {
    List<AddressRange> ranges = List.of(AddressRange.parse(range).orElseThrow());
    assertThat(AddressRange.anyContains(ranges, AddressRange.address(address).orElseThrow()))
        .isEqualTo(has);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/8",
        "10.0.0.0/",
        "10.0.0.0/33",
        "::/129",
        "10.0.0.0/-1",
        "10.0.0/8",
        "proxy.example",
        "10.0.0.0/8/8",
        "10.0.0.0/ 8",
        "fe80::1%eth0",
        "10.0.0.0/99999999999"
      })
  void shouldReadNothingElse(String text) {
    assertThat(AddressRange.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, true", "127.9.9.9, true", "localhost, true", "LOCALHOST, true", "::1, true",
    "[::1], true", "0:0:0:0:0:0:0:1, true", "0.0.0.0, false", "::, false", "10.0.0.1, false",
    "127.0.0.1.evil.example, false", "localhost.evil.example, false", "'', false", "::2, false",
  })
  void shouldRecognizeLoopbackAddresses(String host, boolean loopback) {
    assertThat(AddressRange.isLoopback(host)).isEqualTo(loopback);
  }
}
