package io.sluice.gateway.websocket;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class OriginsTest {
  private static boolean allows(String listed, String sent, String host) {
    Origins origins = new Origins(listed.isEmpty() ? List.of() : List.of(listed), false);
    return origins.allow(name -> List.of(name.equals("Origin") ? sent : host));
  }

  /** Listed origin, and the header of a browser that loads a page of it. */
  @ParameterizedTest
  @CsvSource({
    "null, null",
    "file://, file://",
    "https://my_app.example.com, https://my_app.example.com",
    "https://App.example.com:443, https://app.example.com",
    "http://[0:0:0:0:0:0:0:1]:3000, http://[::1]:3000",
    "capacitor://localhost, capacitor://localhost",
    "chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllcleb,"
        + " chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllcleb",
    "app://., app://.",
    "*, null",
    "*, file://",
  })
  void shouldAllowListedOrigins(String listed, String sent) {
    assertThat(allows(listed, sent, "gw.example.com")).isTrue();
    assertThat(allows("https://other.example", sent, "gw.example.com")).isFalse();
  }

  /** Only pages of HTTP can be of the node's own host. */
  @ParameterizedTest
  @CsvSource({
    "null, null",
    "file://, ''",
    "capacitor://localhost, localhost",
    "chrome-extension://gw.example.com, gw.example.com",
  })
  void shouldNotTakeOtherSchemesForItsOwnHost(String sent, String host) {
    assertThat(allows("", sent, host)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "file://", "*"})
  void shouldNotShareCredentialsWithOriginsOfManySites(String origin) {
    assertThat(new Origins(List.of(origin), false).isNamed(origin)).isFalse();
  }

  @Test
  void shouldNormalizeReplacedOrigins() {
    Origins origins = new Origins(List.of(), false);
    origins.replace(List.of("HTTPS://App.example.com:443"));
    assertThat(origins.isNamed("https://app.example.com")).isTrue();
  }
}
