package io.sluice.gateway.handshake;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.WebOrigin;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class OriginsTest {
  private static boolean allows(String listed, String sent, String host) {
    Origins origins =
        new Origins(WebOrigin.normalized(listed.isEmpty() ? List.of() : List.of(listed)), false);
    return origins.allow(
        name ->
            switch (name) {
              case "Origin" -> List.of(sent);
              case "Host" -> List.of(host);
              default -> List.of();
            });
  }

  /** A page without TLS may come from an attacker in the network. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "X-Forwarded-Proto | https | false",
        "X-Forwarded-Proto | HTTPS | false",
        "X-Forwarded-Proto | wss | false",
        "X-Forwarded-Proto | https, http | false",
        "X-Forwarded-Proto | http,https | false",
        "X-Forwarded-Proto | http | true",
        "Forwarded | for=192.0.2.1;proto=https | false",
        "Forwarded | proto=\"https\";for=192.0.2.1, for=192.0.2.2 | false",
        "Forwarded | for=192.0.2.2, for=192.0.2.1; Proto=https | false",
        "Forwarded | for=192.0.2.1;proto=http | true",
        "Forwarded | for=192.0.2.1 | true",
        "X-Forwarded-For | 192.0.2.1 | true",
      })
  void shouldCompareTheSchemeBehindAProxy(String header, String value, boolean plain) {
    for (String scheme : List.of("http", "https")) {
      Map<String, List<String>> headers =
          Map.of(
              "Origin",
              List.of(scheme + "://gw.example.com"),
              "Host",
              List.of("gw.example.com"),
              header,
              List.of("", value));
      assertThat(new Origins(List.of(), false).allow(name -> headers.getOrDefault(name, List.of())))
          .as(scheme)
          .isEqualTo(plain || scheme.equals("https"));
      assertThat(
              new Origins(List.of("http://gw.example.com"), false)
                  .allow(name -> headers.getOrDefault(name, List.of())))
          .as("listed, with the scheme")
          .isTrue();
    }
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
    origins.replace(WebOrigin.normalized(List.of("HTTPS://App.example.com:443")));
    assertThat(origins.isNamed("https://app.example.com")).isTrue();
  }
}
