package io.sluice.gateway.handshake;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.handshake.HandshakeRules.Accepted;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Checks lines as the head of a handshake. Every response must be one that the protocol specifies,
 * without a character that could end a header or a line early.
 */
public final class HandshakeFuzz {
  private static final List<String> SUBPROTOCOLS = List.of("sluice.v1.json", "sluice.v1.bin");
  private static final Set<Integer> STATUSES = Set.of(400, 403, 405, 426);
  private static final HandshakeRules STRICT =
      new HandshakeRules(SUBPROTOCOLS, new Origins(List.of("https://app.example"), false), true);
  private static final HandshakeRules LAX =
      new HandshakeRules(List.of(), new Origins(List.of("*"), false), false);

  private HandshakeFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    String[] lines = new String(input, ISO_8859_1).split("\r?\n", -1);
    String[] start = lines[0].split(" ", 2);
    String version = start.length == 2 && start[1].equals("HTTP/1.0") ? start[1] : "HTTP/1.1";
    Map<String, List<String>> headers = headers(lines);
    for (HandshakeRules handshake : List.of(STRICT, LAX)) {
      HandshakeRules.Result result =
          handshake.check(start[0], version, name -> headers.getOrDefault(name, List.of()));
      if (result instanceof Accepted accepted) {
        checkAccepted(accepted, headers, handshake == STRICT);
      } else if (result instanceof HandshakeRules.Refused refused) {
        Refusal refusal = refused.refusal();
        assertThat(refusal.status()).isIn(STATUSES);
        assertPrintable(refusal.text());
        refusal.headers().values().forEach(HandshakeFuzz::assertPrintable);
      }
    }
  }

  /** Headers by their names in any case. */
  public static Map<String, List<String>> headers(String[] lines) {
    Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String line : List.of(lines).subList(1, lines.length)) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        headers
            .computeIfAbsent(line.substring(0, colon), name -> new ArrayList<>())
            .add(line.substring(colon + 1).strip());
      }
    }
    return headers;
  }

  private static void checkAccepted(
      Accepted accepted, Map<String, List<String>> headers, boolean strict) {
    accepted.headers().values().forEach(HandshakeFuzz::assertPrintable);
    assertThat(headers.get("Host")).hasSize(1);
    assertThat(headers.get("Sec-WebSocket-Key")).hasSize(1);
    if (accepted.subprotocol() != null) {
      assertThat(strict).isTrue();
      assertThat(accepted.subprotocol()).isIn(SUBPROTOCOLS);
    }
    if (strict && headers.containsKey("Origin")) {
      assertThat(headers.get("Origin")).hasSize(1);
      String origin = headers.get("Origin").get(0).strip();
      assertThat(origin.equalsIgnoreCase("https://app.example") || origin.contains("://")).isTrue();
    }
    assertThat(accepted.headers().containsKey("Sec-WebSocket-Extensions"))
        .isEqualTo(accepted.deflate());
    assertThat(accepted.deflate() && !strict).isFalse();
  }

  private static void assertPrintable(String text) {
    assertThat(text).matches("[ -~]*");
  }
}
