package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class OptionsTest {
  private static void refused(String message, ThrowingCallable call) {
    assertThatIllegalArgumentException().isThrownBy(call).withMessageContaining(message);
  }

  @Test
  void shouldCheckOptionsOfSubscriptions() {
    SubscribeOptions options = SubscribeOptions.DEFAULT;
    assertThat(options.fromLast(1_000_000).rate(0.001).members()).containsEntry("rate", 0.001);
    refused("last must be 1 to 1000000, not 0", () -> options.fromLast(0));
    refused("not 1000001", () -> options.fromLast(1_000_001));
    refused("rate must be 0.001 to 1000, not 1000.1", () -> options.rate(1_000.1));
    refused("rate must be", () -> options.rate(Double.NaN));
    refused("blank", () -> options.where(" "));
    assertThat(options.where("a = 1").members()).containsEntry("tagged", true);
  }

  @Test
  void shouldCheckOptionsOfPublishes() {
    PublishOptions options = PublishOptions.DEFAULT;
    assertThat(options.id("x".repeat(128)).priority(9).members()).hasSize(2);
    refused("id must have 1 to 128 characters, not 129", () -> options.id("x".repeat(129)));
    refused("group must have 1 to 255 characters, not 0", () -> options.group(""));
    refused("priority must be 0 to 9, not 10", () -> options.priority(10));
    refused("ttl must be at least 1 ms", () -> options.ttl(Duration.ZERO));
    refused("property a must be", () -> options.property("a", List.of()));
    refused("option id is not available", () -> options.id("1").members("id"));
    assertThat(options.property("a", 1).property("b", "c").members())
        .containsEntry("properties", Map.of("a", 1, "b", "c"));
  }

  @Test
  void shouldCheckOptionsOfClients() {
    refused("URL must be like wss://example.com/ws", () -> SluiceClient.builder("http://a/ws"));
    refused("not ws://a/#b", () -> SluiceClient.builder("ws://a/#b"));
    refused("at least one URL", SluiceClient::builder);
    SluiceClientBuilder builder = SluiceClient.builder("ws://127.0.0.1/ws");
    refused("maxPublishes must be at least 1", () -> builder.maxPublishes(0));
    refused("maxQueuedFrames must be at least 1", () -> builder.maxQueuedFrames(0));
    refused("maxCallbackThreads must be at least 1", () -> builder.maxCallbackThreads(0));
    refused("connectTimeout", () -> builder.connectTimeout(Duration.ZERO));
    refused("backoff", () -> builder.backoff(Duration.ofSeconds(2), Duration.ofSeconds(1)));
    refused("credit must be at least 0", () -> ConsumeOptions.DEFAULT.credit(-1));
  }

  @Test
  void shouldEncodePayloads() {
    assertThat(encoded("a")).isEqualTo(Map.of("payload", "a"));
    assertThat(encoded(new byte[] {1})).isEqualTo(Map.of("encoding", "base64", "payload", "AQ=="));
    assertThat(encoded(Map.of("a", new byte[] {1})))
        .isEqualTo(Map.of("encoding", "json", "payload", Map.of("a", Map.of("base64", "AQ=="))));
    assertThat(encoded(List.of(1, "b")))
        .isEqualTo(Map.of("encoding", "json", "payload", List.of(1, "b")));
    refused("payload must be a String, byte[], Map or List", () -> encoded(1));
    refused("payload must be", () -> encoded(null));
  }

  private static Map<String, Object> encoded(Object payload) {
    Map<String, Object> frame = new LinkedHashMap<>();
    Payload.encode(payload, frame);
    return frame;
  }

  @Test
  void shouldRestoreStoredPositions() {
    Position position = new Position("aaaaaaaaaaaaaaaa", 57, List.of("00000000000000ff"), 1L, 2L);
    assertThat(Position.parse(position.toJson())).isEqualTo(position);
    Position first = new Position("aaaaaaaaaaaaaaaa", 57, List.of(), null, null);
    assertThat(Position.parse(first.toJson())).isEqualTo(first);
    refused("JSON of a position", () -> Position.parse("{\"epoch\":1}"));
    refused("JSON of a position", () -> Position.parse("[]"));
    assertThatThrownBy(
            () -> new Position("a", 1, Collections.nCopies(1_025, "00000000000000ff"), null, null))
        .hasMessage("ids must be at most 1024, not 1025");
  }
}
