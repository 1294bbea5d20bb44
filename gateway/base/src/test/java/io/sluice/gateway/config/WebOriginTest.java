package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class WebOriginTest {
  /** Origins as browsers and web views serialize them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "file://",
        "http://localhost:3000",
        "https://app.example.com",
        "https://my_app.example.com",
        "https://_app.example.com:8443",
        "https://-.example",
        "https://app.example.com.",
        "https://xn--bcher-kva.example",
        "https://a",
        "https://a!b$c&d'e(f)g;h=i~j.example",
        "http://127.0.0.1:8080",
        "http://1.2.3.com",
        "http://[::1]:3000",
        "https://[2001:db8::1]",
        "https://[2001:db8:0:1:1:1:1:1]",
        "http://[::ffff:7f00:1]",
        "http://host:0",
        "http://host:65535",
        "chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllcleb",
        "moz-extension://0f8d4c1e-7a2b-4c9d-8e6f-1a2b3c4d5e6f",
        "safari-web-extension://1A2B3C4D-0000-1111-2222-333344445555",
        "capacitor://localhost",
        "ionic://localhost",
        "tauri://localhost",
        "https://tauri.localhost",
        "app://.",
        "app://-",
        "app://",
        "app://obsidian.md",
        "vscode-webview://1bk8l0gn2o3j4d5e",
        "ms-appx-web://app_1.2",
        "x.y+z-1://a%20b:7",
      })
  void shouldAcceptOriginsOfBrowsers(String origin) {
    assertThat(WebOrigin.problem(origin)).isEmpty();
    assertThat(WebOrigin.of(origin).text()).isEqualToIgnoringCase(origin);
  }

  @ParameterizedTest
  @CsvSource({
    "HTTPS://App.Example.COM, https://app.example.com",
    "https://app.example.com:443, https://app.example.com",
    "http://app.example.com:80, http://app.example.com",
    "http://app.example.com:0080, http://app.example.com",
    "http://app.example.com:443, http://app.example.com:443",
    "capacitor://localhost:80, capacitor://localhost:80",
    "http://[0:0:0:0:0:0:0:1]:80, http://[::1]",
    "http://[2001:DB8:0:0:1:0:0:1], http://[2001:db8::1:0:0:1]",
    "http://[::FFFF:127.0.0.1], http://[::ffff:7f00:1]",
    "http://[1::], http://[1::]",
    "http://[::], http://[::]",
  })
  void shouldNormalize(String configured, String sent) {
    assertThat(WebOrigin.problem(configured)).isEmpty();
    assertThat(WebOrigin.of(configured).text()).isEqualTo(sent);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "https://a.example/ | is not an origin: it ends with a slash | https://a.example",
        "https://a.example/app | contains more than scheme, host and port | https://a.example",
        "https://a.example?x | contains more than scheme, host and port | https://a.example",
        "https://a.example:8443#x | contains more than scheme | https://a.example:8443",
        "file:///home/ann/page.html | contains more than scheme, host and port | file://",
        "file://server | is not an origin that browsers send | file://",
        "app.example.com | it has no scheme | https://app.example.com or http://app.example.com",
        "localhost:3000 | it has no scheme | https://localhost:3000 or http://localhost:3000",
        "'' | it has no scheme | a scheme, a host and an optional port",
        "://a.example | its scheme is malformed | a scheme, a host",
        "1a://a.example | its scheme is malformed | a scheme, a host",
        "NULL | is not an origin that browsers send | null",
        "data:text/html;x | is not an origin that browsers send | null",
        "' https://a' | begins or ends with white space | https://a",
        "wss://a.example | is the address of a WebSocket | the page: https://a.example",
        "ws://localhost:80 | is the address of a WebSocket | the page: http://localhost:80",
        "https://ann:pw@a.example | contains a user name | https://a.example",
        "https://*.example.com | contains a wildcard | each origin by name, or * alone",
        "https://a.example:* | contains a wildcard | each origin by name, or * alone",
        "https://a,https://b | contains a comma | one origin for each element",
        "https:// | it has no host | a scheme, a host",
        "https://:443 | it has no host | a scheme, a host",
        "https://a b | its host has a character that is not allowed | a scheme, a host",
        "https://a%20b | its host has a character that is not allowed | a scheme, a host",
        "https://b\u00fccher.example | characters that browsers encode | https://xn--bcher-kva.example",
        "https://a:port | has a port that is not allowed | a port from 0 to 65535",
        "https://a:65536 | has a port that is not allowed | a port from 0 to 65535",
        "https://a: | ends with a colon | https://a",
        "http://127.1 | has a number as its host | four decimal numbers",
        "http://0x7f.0.0.1.0x | has a number as its host | four decimal numbers",
        "http://256.0.0.1 | has a number as its host | four decimal numbers",
        "http://[::1 | has no valid IPv6 address | http://[2001:db8::1]:8080",
        "http://[fe80::1%25eth0] | has no valid IPv6 address | http://[2001:db8::1]:8080",
        "http://[1.2.3.4] | has no valid IPv6 address | http://[2001:db8::1]:8080",
      })
  void shouldNameTheProblemAndTheAlternative(String text, String what, String expected) {
    WebOrigin.Problem problem = WebOrigin.problem(text).orElseThrow();
    assertThat(problem.what()).contains(what).doesNotContain("pw");
    assertThat(problem.expected()).contains(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "http://app.example.com, true",
    "http://10.0.0.1:8080, true",
    "http://[2001:db8::1]:80, true",
    "https://app.example.com, false",
    "http://localhost:3000, false",
    "http://tauri.localhost, false",
    "http://127.0.0.1, false",
    "http://[::1]:3000, false",
    "capacitor://app.example.com, false",
  })
  void shouldKnowOriginsThatANetworkAttackerCanChange(String origin, boolean unencrypted) {
    assertThat(WebOrigin.of(origin).isUnencrypted()).isEqualTo(unencrypted);
  }
}
