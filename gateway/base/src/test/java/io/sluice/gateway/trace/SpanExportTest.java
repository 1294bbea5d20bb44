package io.sluice.gateway.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfiguredSource;
import io.sluice.gateway.config.NatsSettings;
import io.sluice.gateway.protocol.Destination;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reasons of failed exports to a real receiver. */
@Timeout(180)
final class SpanExportTest {
  private static final TraceContext CONTEXT =
      TraceContext.parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");

  private final OtlpReceiver receiver = new OtlpReceiver();

  @AfterEach
  void close() {
    receiver.close();
  }

  private static TracingOptions options(String endpoint, Config config) {
    return new TracingOptions(
        endpoint, Map.of(), 1, "sluice", "gw-1", "dev", ConfiguredSource.of(config), 10);
  }

  private static String export(String endpoint) {
    TracingOptions options = options(endpoint, Config.defaults());
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

  /** A queue may have the name of a topic of another source. */
  @Test
  void shouldNameTheSystemOfTopicsAndQueues() {
    Config config =
        Config.defaults()
            .with(NatsSettings.SERVERS, List.of("nats://nats.test:4222"))
            .with(NatsSettings.TOPICS, List.of("orders.>"))
            .with(BrokerSettings.URL, "tcp://broker.test:61616");
    PublishTrace topic = new PublishTrace(CONTEXT, Destination.topic("orders.eu"), ended -> {});
    PublishTrace queue = new PublishTrace(CONTEXT, Destination.queue("orders.eu"), ended -> {});
    DeliveryTrace delivery = new DeliveryTrace(CONTEXT, "orders.eu", 0, ended -> {});
    for (OutcomeTrace each : List.of(topic, queue, delivery)) {
      each.onAccepted();
    }
    try (SpanExport export = SpanExport.open(options(receiver.url(), config))) {
      assertThat(export.export(List.of(topic, queue, delivery))).isNull();
    }
    assertThat(receiver.spans())
        .extracting(span -> span.name() + " " + span.attribute("messaging.system"))
        .containsExactly("publish nats", "publish jms", "deliver jms");
  }

  @Test
  void shouldNameAReceiverThatIsNotReachable() {
    assertThat(export("http://127.0.0.1:1/v1/traces")).isEqualTo("connection refused");
  }
}
