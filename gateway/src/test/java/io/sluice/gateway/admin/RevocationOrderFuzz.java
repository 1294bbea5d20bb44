package io.sluice.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.gateway.auth.Principal;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;

/**
 * Fuzz test of the parser of revocation requests. Another parser accepts the same request, or the
 * error message is one short line.
 */
public final class RevocationOrderFuzz {
  private static final int LONGEST_LINE = 200;
  private static final JsonMapper STRICT =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private RevocationOrderFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    RevocationOrder order;
    try {
      order = RevocationOrder.parse(Buffer.buffer(input), 0);
    } catch (IllegalArgumentException wrong) {
      assertThat(wrong.getMessage()).hasSizeLessThan(LONGEST_LINE).matches("\\P{Cntrl}+");
      return;
    }
    JsonNode read = read(input);
    assertThat(order.kind()).isIn("token", "certificate", "subject", "session");
    assertThat(order.value()).isNotEmpty().hasSizeLessThanOrEqualTo(RevocationOrder.MAX_LENGTH);
    assertThat(order.value()).isEqualTo(named(read.path(order.kind()).textValue(), order.kind()));
    boolean ends = order.expiresMs() != Principal.NEVER;
    assertThat(read.size()).isEqualTo(ends || read.has("expires") ? 2 : 1);
    assertThat(read.path("expires").asLong(Principal.NEVER)).isEqualTo(order.expiresMs());
  }

  private static String named(String text, String kind) {
    return kind.equals("certificate") ? RevocationOrder.serial(text) : text;
  }

  private static JsonNode read(byte[] json) {
    try {
      return STRICT.readTree(json);
    } catch (IOException e) {
      throw new AssertionError("obeyed what is no JSON", e);
    }
  }
}
