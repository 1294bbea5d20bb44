package io.sluice.gateway.handshake;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.handshake.HandshakeRules.Accepted;
import io.sluice.gateway.handshake.HandshakeRules.Result;
import io.sluice.testkit.RawWebSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HandshakeRulesTest {
  private static final String AGREED = "permessage-deflate; client_no_context_takeover";

  private final Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private HandshakeRules handshake =
      new HandshakeRules(
          List.of("sluice.v1.json", "sluice.v1.bin"),
          new Origins(List.of("https://app.example.com"), false),
          true);

  @BeforeEach
  void prepareValidRequest() {
    set("Host", "localhost:8080");
    set("Upgrade", "websocket");
    set("Connection", "Upgrade");
    set("Sec-WebSocket-Version", "13");
    set("Sec-WebSocket-Key", RawWebSocket.KEY);
  }

  private void set(String name, String... lines) {
    headers.put(name, new ArrayList<>(List.of(lines)));
  }

  private Result check() {
    return check("GET", "HTTP/1.1");
  }

  private Result check(String method, String version) {
    return handshake.check(method, version, name -> headers.getOrDefault(name, List.of()));
  }

  private Accepted accepted() {
    assertThat(check()).isInstanceOf(Accepted.class);
    return (Accepted) check();
  }

  private Refusal refused(int status) {
    assertThat(check()).isInstanceOf(HandshakeRules.Refused.class);
    Refusal refused = ((HandshakeRules.Refused) check()).refusal();
    assertThat(refused.status()).as(refused.text()).isEqualTo(status);
    return refused;
  }

  @Test
  void shouldAcceptAMinimalRequest() {
    Accepted accepted = accepted();
    assertThat(accepted.headers())
        .containsExactly(
            Map.entry("Upgrade", "websocket"),
            Map.entry("Connection", "Upgrade"),
            Map.entry("Sec-WebSocket-Accept", RawWebSocket.ACCEPT));
    assertThat(accepted.subprotocol()).isNull();
    assertThat(accepted.deflate()).isFalse();
  }

  @Test
  void shouldMatchTokensInListsAndInAnyCase() {
    set("Upgrade", "h2c, WebSocket");
    set("Connection", "keep-alive", "foo , UPGRADE");
    accepted();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Host", "Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version"})
  void shouldRejectARequestWithoutARequiredHeader(String name) {
    headers.remove(name);
    refused(400);
  }

  @ParameterizedTest
  @CsvSource({
    "Upgrade, websockets",
    "Upgrade, h2c",
    "Connection, keep-alive",
    "Connection, upgraded",
    "Sec-WebSocket-Key, ''",
    "Sec-WebSocket-Key, dGhlIHNhbXBsZSBub25jZQ",
    "Sec-WebSocket-Key, dGhlIHNhbXBsZSBub25j",
    "Sec-WebSocket-Key, dGhlIHNhbXBsZSBub25jZWQh",
    "Sec-WebSocket-Key, dGhlIHNhbXBsZSBub25jZ!==",
    "Sec-WebSocket-Key, dGhlIHNhbXBsZSBub25jZ€==",
    "Sec-WebSocket-Protocol, chat/1",
    "Sec-WebSocket-Protocol, 'sluice.v1.json, a b'",
    "Sec-WebSocket-Extensions, permessage-deflate;",
    "Sec-WebSocket-Extensions, permessage-deflate; =1",
    "Sec-WebSocket-Extensions, permessage-deflate; a=",
    "Sec-WebSocket-Extensions, 'permessage-deflate; a=\"\"'",
    "Sec-WebSocket-Extensions, 'permessage-deflate; a=\"b'",
    "Sec-WebSocket-Extensions, 'permessage-deflate; a=\"b\\'",
    "Sec-WebSocket-Extensions, 'permessage-deflate; a=\"b c\"'",
    "Sec-WebSocket-Extensions, a b",
    "Sec-WebSocket-Extensions, ;",
  })
  void shouldRejectMalformedHeaders(String name, String value) {
    set(name, value);
    refused(400);
  }

  @Test
  void shouldRejectTwoKeys() {
    set("Sec-WebSocket-Key", RawWebSocket.KEY, RawWebSocket.KEY);
    refused(400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"8", "14", "0", "013", "13, 8", "x"})
  void shouldSendItsVersionToClientsOfAnother(String version) {
    set("Sec-WebSocket-Version", version);
    assertThat(refused(426).headers()).containsEntry("Sec-WebSocket-Version", "13");
  }

  @Test
  void shouldRejectOtherMethodsAndHttpVersions() {
    Refusal method = ((HandshakeRules.Refused) check("POST", "HTTP/1.1")).refusal();
    assertThat(method.status()).isEqualTo(405);
    assertThat(method.headers()).containsEntry("Allow", "GET");
    assertThat(((HandshakeRules.Refused) check("GET", "HTTP/1.0")).refusal().status())
        .isEqualTo(400);
  }

  @Test
  void shouldCheckTheOrigin() {
    set("Origin", "https://app.example.com");
    accepted();
    for (String other :
        List.of(
            "https://evil.example.com",
            "http://app.example.com",
            "null",
            "*",
            "https://app.example.com:8443")) {
      set("Origin", other);
      refused(403);
    }
    handshake = new HandshakeRules(List.of(), new Origins(List.of("*"), false), true);
    accepted();
  }

  @Test
  void shouldNameARefusedOriginInTheAnswerToAPlainRequest() {
    headers.remove("Upgrade");
    refused(400);
    set("Origin", "https://evil.example.com");
    refused(403);
  }

  @ParameterizedTest
  @CsvSource({
    "gw.example.com, http://gw.example.com, https://gw.example.com",
    "gw.example.com:80, http://gw.example.com, https://gw.example.com:80",
    "gw.example.com:443, https://gw.example.com, https://GW.example.com",
    "GW.example.com:8080, http://gw.example.com:8080, https://gw.example.com:8080",
    "[::1]:8080, http://[::1]:8080, https://[::1]:8080",
  })
  void shouldAcceptPagesOfItsOwnHost(String host, String plain, String secure) {
    handshake = new HandshakeRules(List.of(), new Origins(List.of(), false), true);
    set("Host", host);
    set("Origin", plain);
    accepted();
    set("Origin", secure);
    accepted();
    handshake = new HandshakeRules(List.of(), new Origins(List.of(), true), true);
    accepted();
  }

  @ParameterizedTest
  @CsvSource({
    "gw.example.com, https://evil.example",
    "gw.example.com, https://gw.example.com.evil.example",
    "gw.example.com, https://gw.example.com:8443",
    "gw.example.com:8080, https://gw.example.com",
    "gw.example.com:443, http://gw.example.com",
    "gw.example.com:443, http://gw.example.com:80",
    "gw.example.com, gw.example.com",
    "gw.example.com, ://gw.example.com",
    "gw.example.com, null",
    "gw.example.com, 'https://gw.example.com https://evil.example'",
  })
  void shouldRejectPagesOfOtherHostsByDefault(String host, String origin) {
    handshake = new HandshakeRules(List.of(), new Origins(List.of(), false), true);
    set("Host", host);
    set("Origin", origin);
    refused(403);
  }

  @Test
  void shouldRejectInsecurePagesOfItsOwnHostWhenItHasTls() {
    handshake = new HandshakeRules(List.of(), new Origins(List.of(), true), true);
    set("Host", "gw.example.com");
    set("Origin", "http://gw.example.com");
    refused(403);
  }

  @Test
  void shouldSelectTheFirstSupportedSubprotocol() {
    set("Sec-WebSocket-Protocol", "mqtt, , sluice.v1.bin", "sluice.v1.json");
    assertThat(accepted().subprotocol()).isEqualTo("sluice.v1.bin");
    assertThat(accepted().headers()).containsEntry("Sec-WebSocket-Protocol", "sluice.v1.bin");
  }

  @Test
  void shouldSendItsSubprotocolsToClientsOfOthers() {
    set("Sec-WebSocket-Protocol", "mqtt");
    assertThat(refused(400).text()).contains("sluice.v1.json, sluice.v1.bin");
    handshake = new HandshakeRules(List.of(), new Origins(List.of("*"), false), true);
    assertThat(accepted().headers()).doesNotContainKey("Sec-WebSocket-Protocol");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "permessage-deflate",
        "permessage-deflate; client_max_window_bits",
        "permessage-deflate ;client_max_window_bits = 8",
        "permessage-deflate; client_max_window_bits=\"15\"",
        "permessage-deflate; client_max_window_bits=\"1\\5\"",
        "permessage-deflate; client_no_context_takeover",
        "permessage-deflate; server_max_window_bits=10, permessage-deflate",
        "permessage-deflate; server_no_context_takeover; server_max_window_bits=10,"
            + " permessage-deflate",
        "permessage-deflate; unknown, x; y=z, ,permessage-deflate; client_max_window_bits",
      })
  void shouldAgreeToTheFirstAcceptableOffer(String offer) {
    set("Sec-WebSocket-Extensions", offer);
    assertThat(accepted().headers()).containsEntry("Sec-WebSocket-Extensions", AGREED);
    assertThat(accepted().deflate()).isTrue();
    assertThat(accepted().takeover()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "permessage-deflate; server_no_context_takeover",
        "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
        "permessage-deflate; server_no_context_takeover, permessage-deflate",
      })
  void shouldAgreeWithoutContextTakeoverOfTheServer(String offer) {
    set("Sec-WebSocket-Extensions", offer);
    assertThat(accepted().headers())
        .containsEntry(
            "Sec-WebSocket-Extensions",
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover");
    assertThat(accepted().deflate()).isTrue();
    assertThat(accepted().takeover()).isFalse();
  }

  @Test
  void shouldReadOffersFromAllLines() {
    set("Sec-WebSocket-Extensions", "x", "permessage-deflate; server_max_window_bits=15");
    assertThat(accepted().headers())
        .containsEntry("Sec-WebSocket-Extensions", AGREED + "; server_max_window_bits=15");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "x-webkit-deflate-frame",
        "Permessage-Deflate",
        "permessage-deflate; server_max_window_bits",
        "permessage-deflate; server_max_window_bits=8",
        "permessage-deflate; server_max_window_bits=14",
        "permessage-deflate; server_max_window_bits=16",
        "permessage-deflate; server_max_window_bits=015",
        "permessage-deflate; client_max_window_bits=7",
        "permessage-deflate; client_max_window_bits=16",
        "permessage-deflate; client_max_window_bits=09",
        "permessage-deflate; client_max_window_bits; client_max_window_bits",
        "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
        "permessage-deflate; server_no_context_takeover=true",
        "permessage-deflate; client_no_context_takeover=1",
        "permessage-deflate; unknown",
      })
  void shouldDeclineOtherOffers(String offer) {
    set("Sec-WebSocket-Extensions", offer);
    assertThat(accepted().headers()).doesNotContainKey("Sec-WebSocket-Extensions");
    assertThat(accepted().deflate()).isFalse();
    assertThat(accepted().takeover()).isFalse();
  }

  @Test
  void shouldDeclineDisabledCompression() {
    handshake = new HandshakeRules(List.of(), new Origins(List.of("*"), false), false);
    set("Sec-WebSocket-Extensions", "permessage-deflate");
    assertThat(accepted().deflate()).isFalse();
  }
}
