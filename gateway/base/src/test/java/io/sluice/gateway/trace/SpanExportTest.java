package io.sluice.gateway.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfiguredSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reasons of failed exports to a real receiver. */
@Timeout(60)
final class SpanExportTest {
  private static final TraceContext CONTEXT =
      TraceContext.parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");

  private final OtlpReceiver receiver = new OtlpReceiver();

  @AfterEach
  void close() {
    receiver.close();
  }

  private static String export(String endpoint) {
    TracingOptions options =
        new TracingOptions(
            endpoint,
            Map.of(),
            1,
            "sluice",
            "gw-1",
            "dev",
            ConfiguredSource.of(Config.defaults()),
            10);
    try (SpanExport export = SpanExport.open(options)) {
      assertThat(export.endpoint()).isEqualTo(endpoint);
      MessageTrace trace = new MessageTrace(CONTEXT, "stocks.7", 0, ended -> {});
      trace.onSequenced();
      return export.export(List.of(trace));
    }
  }

  @Test
  void shouldNameTheStatusAndTheFileOfTheHeaders() {
    receiver.status(404);
    assertThat(export(receiver.url())).isEqualTo("status 404");
    receiver.status(401);
    assertThat(export(receiver.url())).isEqualTo("status 401; check tracing.headers-file");
    receiver.status(200);
    assertThat(export(receiver.url())).isNull();
  }

  @Test
  void shouldNameAReceiverThatIsNotReachable() {
    assertThat(export("http://127.0.0.1:1/v1/traces")).isEqualTo("connection refused");
  }
}
