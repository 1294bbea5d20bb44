package io.sluice.gateway.streams.read;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.protocol.BadFrame;
import io.sluice.gateway.protocol.ClientFrame.Publish;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class HttpPublishTest {
  private static final Destination TOPIC = Destination.topic("a.b");

  private static List<Publish> frames(Destination to, String body, String... headers)
      throws IOException {
    return frames(to, body.getBytes(UTF_8), headers);
  }

  private static List<Publish> frames(Destination to, byte[] body, String... headers)
      throws IOException {
    List<Map.Entry<String, String>> all = new ArrayList<>();
    for (String header : headers) {
      int colon = header.indexOf(':');
      all.add(Map.entry(header.substring(0, colon), header.substring(colon + 1)));
    }
    return HttpPublish.frames(to, all, body);
  }

  private static List<String> texts(List<Publish> frames) {
    return frames.stream().map(each -> new String(each.payload(), UTF_8)).toList();
  }

  @Test
  void shouldPublishOneMessagePerElement() throws IOException {
    List<Publish> frames =
        frames(TOPIC, "[{\"n\":1}, 2]", "Content-Type:application/json; charset=utf-8");
    assertThat(texts(frames)).containsExactly("{\"n\":1}", "2");
    assertThat(frames).extracting(Publish::ref).containsExactly(1L, 2L);
    assertThat(frames).allMatch(each -> each.kind() == PayloadKind.TEXT);
  }

  @Test
  void shouldSendABodyToAQueueAsOneMessage() throws IOException {
    List<Publish> frames =
        frames(Destination.queue("q"), "[1, 2]", "content-type:application/json");
    assertThat(texts(frames)).containsExactly("[1, 2]");
    assertThat(frames.get(0).destination()).isEqualTo(Destination.queue("q"));
  }

  @ParameterizedTest
  @CsvSource({
    "text/plain, TEXT",
    "TEXT/Html; charset=x, TEXT",
    "application/problem+json, TEXT",
    "application/octet-stream, BYTES",
    "image/png, BYTES"
  })
  void shouldSelectTheKindByTheContentType(String type, PayloadKind kind) throws IOException {
    assertThat(frames(TOPIC, "7", "Content-Type:" + type))
        .extracting(Publish::kind)
        .containsExactly(kind);
  }

  @Test
  void shouldReadHeaders() throws IOException {
    Publish frame =
        frames(
                TOPIC,
                "x",
                "Content-Type:text/plain",
                "Sluice-Property-Region: EU ",
                "traceparent:00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "sluice-priority:7",
                "Sluice-TTL:1000",
                "Sluice-Delay:20",
                "Sluice-Persistent:true",
                "Sluice-Message-Type:order",
                "Sluice-Correlation-Id:c",
                "Sluice-Group:g",
                "Sluice-Reply-To:queue/answers",
                "Idempotency-Key:\"k-1\"",
                "Accept:*/*")
            .get(0);
    assertThat(frame.properties())
        .containsEntry("Region", "EU")
        .containsKey("traceparent")
        .hasSize(2);
    assertThat(frame.headers())
        .isEqualTo(
            new PublishHeaders(
                7,
                1000,
                20,
                PublishHeaders.Mode.PERSISTENT,
                "order",
                "c",
                "g",
                Destination.queue("answers"),
                "k-1"));
  }

  @Test
  void shouldGiveEachElementAnId() throws IOException {
    assertThat(frames(TOPIC, "[1,2]", "Content-Type:application/json", "Idempotency-Key:k"))
        .extracting(each -> each.headers().id())
        .containsExactly("k/0", "k/1");
    assertThat(frames(TOPIC, "[1]", "Content-Type:application/json", "Idempotency-Key:k"))
        .extracting(each -> each.headers().id())
        .containsExactly("k");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Sluice-Priority:high",
        "Sluice-Priority:10",
        "Sluice-Ttl:-1",
        "Sluice-Persistent:yes",
        "Sluice-Reply-To:answers",
        "Sluice-Colour:red",
        "Sluice-Group:",
        "Idempotency-Key:"
      })
  void shouldRejectInvalidHeaders(String header) {
    assertThatThrownBy(() -> frames(TOPIC, "x", "Content-Type:text/plain", header))
        .isInstanceOf(BadFrame.class);
  }

  @Test
  void shouldLimitTheIdToFourTimesLess() {
    String id = "k".repeat(4 * 128);
    assertThatThrownBy(() -> frames(TOPIC, "x", "Content-Type:text/plain", "Idempotency-Key:" + id))
        .hasMessage("\"id\" must have from 1 to 128 characters");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Stream-Seq:1", "stream-closed:true", "Producer-Id:p"})
  void shouldRefuseTheCoordinationOfWriters(String header) {
    assertThatThrownBy(() -> frames(TOPIC, "x", "Content-Type:text/plain", header))
        .isInstanceOf(HttpPublish.Unsupported.class);
  }

  @Test
  void shouldRejectBodies() {
    String json = "Content-Type:application/json";
    assertThatThrownBy(() -> frames(TOPIC, "x")).hasMessageContaining("Content-Type");
    assertThatThrownBy(() -> frames(TOPIC, "", json)).hasMessage("the body is empty");
    assertThatThrownBy(() -> frames(TOPIC, "[]", json)).hasMessage("the array has no elements");
    assertThatThrownBy(() -> frames(TOPIC, "{", json))
        .hasMessageStartingWith("the body is not JSON");
    assertThatThrownBy(() -> frames(TOPIC, new byte[] {-1}, "Content-Type:text/plain"))
        .hasMessage("the body is not UTF-8");
    assertThatThrownBy(() -> frames(TOPIC, "[" + "1,".repeat(4_000) + "1]", json))
        .hasMessageContaining("more than 1000 elements");
  }
}
