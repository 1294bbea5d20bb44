package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.handshake.Origins;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.http.StreamRules.Accepted;
import io.sluice.gateway.http.StreamRules.Preflight;
import io.sluice.gateway.protocol.Encoding;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StreamRulesTest {
  private static final String APP = "https://app.example.com";

  private final Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private StreamRules rules = new StreamRules(new Origins(List.of(APP), false), 100);

  private StreamRules.Result check(String method, String query) {
    return rules.check(method, query, name -> headers.getOrDefault(name, List.of()));
  }

  private Accepted accepted(String query) {
    assertThat(check("POST", query)).isInstanceOf(Accepted.class);
    return (Accepted) check("POST", query);
  }

  private Refusal refused(String method, String query, int status) {
    assertThat(check(method, query)).isInstanceOf(StreamRules.Refused.class);
    StreamRules.Refused refused = (StreamRules.Refused) check(method, query);
    Refusal refusal = refused.refusal().with(refused.cors());
    assertThat(refusal.status()).as(refusal.text()).isEqualTo(status);
    return refusal;
  }

  @ParameterizedTest
  @CsvSource({
    ", JSON",
    "'', JSON",
    "a=b, JSON",
    "protocol=sluice.v1.json, JSON",
    "protocol=sluice.v1.bin, BINARY",
    "a=b&protocol=sluice.v1.bin&c, BINARY"
  })
  void shouldReadTheProtocolFromTheQuery(String query, Encoding encoding) {
    assertThat(accepted(query).encoding()).isEqualTo(encoding);
  }

  @ParameterizedTest
  @ValueSource(strings = {"protocol=", "protocol=sluice.v2.bin", "a&protocol=%zz"})
  void shouldRejectAnUnknownProtocol(String query) {
    refused("POST", query, 400);
  }

  @Test
  void shouldDisableBufferingByProxies() {
    assertThat(accepted(null).headers())
        .containsEntry("X-Accel-Buffering", "no")
        .containsEntry("Cache-Control", "no-store, no-transform")
        .containsEntry("Connection", "close")
        .doesNotContainKeys("Content-Length", "Transfer-Encoding");
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "HEAD", "PUT", "DELETE"})
  void shouldRefuseOtherMethods(String method) {
    assertThat(refused(method, null, 405).headers()).containsEntry("Allow", "POST, OPTIONS");
  }

  @ParameterizedTest
  @CsvSource({"100, false", "101, true", "99999999999999999999999, true"})
  void shouldRejectATooLongContentLength(String length, boolean tooLong) {
    headers.put("Content-Length", List.of(length));
    if (tooLong) {
      refused("POST", null, 413);
    } else {
      accepted(null);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "OPTIONS", "GET"})
  void shouldRejectOtherOriginsForAnyMethod(String method) {
    headers.put("Origin", List.of("https://evil.example.com"));
    assertThat(refused(method, null, 403).headers())
        .doesNotContainKey("Access-Control-Allow-Origin");
  }

  @Test
  void shouldRefuseAnOriginThatIsSentTwice() {
    headers.put("Origin", List.of(APP, APP));
    refused("POST", null, 403);
  }

  @Test
  void shouldAllowListedOriginsToReadEveryResponse() {
    headers.put("Origin", List.of(APP));
    Map<String, String> cors = accepted(null).cors();
    assertThat(cors)
        .containsEntry("Access-Control-Allow-Origin", APP)
        .containsEntry("Vary", "Origin")
        .containsEntry("Access-Control-Expose-Headers", "Retry-After");
    assertThat(accepted(null).headers()).containsAllEntriesOf(cors);
    assertThat(refused("POST", "protocol=x", 400).headers()).containsAllEntriesOf(cors);
    assertThat(refused("GET", null, 405).headers()).containsAllEntriesOf(cors);
    headers.put("Content-Length", List.of("101"));
    assertThat(refused("POST", null, 413).headers()).containsAllEntriesOf(cors);
  }

  @Test
  void shouldAllowCredentialsToPagesOfListedOriginsOnly() {
    String credentials = "Access-Control-Allow-Credentials";
    headers.put("Origin", List.of(APP));
    assertThat(accepted(null).headers()).containsEntry(credentials, "true");
    assertThat(refused("POST", "protocol=x", 400).headers()).containsEntry(credentials, "true");
    assertThat(((Preflight) check("OPTIONS", null)).headers()).containsEntry(credentials, "true");
    headers.clear();
    assertThat(accepted(null).headers()).doesNotContainKey(credentials);

    rules = new StreamRules(new Origins(List.of("*", APP), false), 100);
    headers.put("Origin", List.of("https://evil.example.com"));
    assertThat(accepted(null).headers())
        .containsKey("Access-Control-Allow-Origin")
        .doesNotContainKey(credentials);
    headers.put("Origin", List.of("null"));
    assertThat(accepted(null).headers()).doesNotContainKey(credentials);
    headers.put("Origin", List.of(APP));
    assertThat(accepted(null).headers()).containsEntry(credentials, "true");
  }

  @Test
  void shouldSendNoCorsHeadersWithoutAnOrigin() {
    assertThat(accepted(null).cors()).isEmpty();
    assertThat(accepted(null).headers()).doesNotContainKey("Access-Control-Allow-Origin");
  }

  @Test
  void shouldAnswerThePreflightOfAnAllowedPage() {
    headers.put("Origin", List.of(APP));
    assertThat(check("OPTIONS", null)).isInstanceOf(Preflight.class);
    assertThat(((Preflight) check("OPTIONS", null)).headers())
        .containsEntry("Access-Control-Allow-Origin", APP)
        .containsEntry("Access-Control-Allow-Methods", "POST")
        .containsEntry("Access-Control-Allow-Headers", "content-type")
        .containsKey("Access-Control-Max-Age");
  }

  @Test
  void shouldNotRepeatAMalformedOrigin() {
    rules = new StreamRules(new Origins(List.of("*"), false), 100);
    headers.put("Origin", List.of("null"));
    assertThat(accepted(null).cors()).containsEntry("Access-Control-Allow-Origin", "null");
    headers.put("Origin", List.of("https://a\u000bb"));
    refused("POST", null, 403);
  }
}
