package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.trace.OtlpReceiver;
import io.sluice.gateway.trace.OtlpReceiver.Received;
import io.sluice.gateway.trace.TracedPublisher;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.Message;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Spans of messages from a JMS publisher to clients, as an OTLP receiver gets them. */
@Timeout(180)
final class TracingIT {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN = "00f067aa0ba902b7";
  private static final String SAMPLED = "00-" + TRACE + "-" + SPAN + "-01";
  private static final String UNSAMPLED = "00-" + TRACE + "-" + SPAN + "-00";

  private static TestBroker broker;
  private static TestPublisher publisher;

  private final OtlpReceiver receiver = new OtlpReceiver();

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("artemis");
    publisher = new TestPublisher("artemis", broker.url());
  }

  @AfterAll
  static void stop() throws Exception {
    publisher.close();
    broker.close();
  }

  @AfterEach
  void closeReceiver() {
    receiver.close();
  }

  private Config config() {
    return TestNode.config("artemis", broker.url())
        .with(AdminSettings.TRACING_ENDPOINT, receiver.url());
  }

  private static void send(String topic, String traceparent) throws Exception {
    Message message = publisher.session().createTextMessage("101.5");
    message.setStringProperty("traceparent", traceparent);
    publisher.send(topic, message);
  }

  private static TestNode ready(Config config) {
    TestNode node = TestNode.start(config);
    node.awaitReady();
    return node;
  }

  private static void checkChild(Received child, Received parent) {
    assertThat(child.traceId()).isEqualTo(TRACE);
    assertThat(child.parent()).as(child.name()).isEqualTo(parent.id());
    assertThat(child.span().getStartTimeUnixNano())
        .as(child.name())
        .isGreaterThanOrEqualTo(parent.span().getStartTimeUnixNano());
    assertThat(child.span().getEndTimeUnixNano())
        .as(child.name())
        .isBetween(child.span().getStartTimeUnixNano(), parent.span().getEndTimeUnixNano());
  }

  @Tag("full")
  @Test
  void shouldExportTheStagesOfASampledMessage() throws Exception {
    try (TestNode node = ready(config());
        RawWebSocket first = node.json();
        RawWebSocket second = node.json()) {
      first.subscribe(1, "traced.stages");
      second.subscribe(1, "traced.stages");
      send("traced.stages", SAMPLED);

      JsonNode message = first.await("message");
      assertThat(message.at("/properties/traceparent").asText()).isEqualTo(SAMPLED);
      second.await("message");
      await().until(() -> receiver.spans().size() == 6);
      Received forward = receiver.span("forward");
      assertThat(forward.service()).isEqualTo("sluice");
      assertThat(forward.traceId()).isEqualTo(TRACE);
      assertThat(forward.parent()).isEqualTo(SPAN);
      assertThat(forward.attribute("messaging.destination.name")).isEqualTo("traced.stages");
      assertThat(forward.attribute("sluice.clients")).isEqualTo("2");
      for (String stage : List.of("receive", "log", "fan-out", "first write", "last write")) {
        checkChild(receiver.span(stage), forward);
      }
    }
  }

  /** Records the span of a client that reads the context from a message's properties. */
  private static void render(SdkTracerProvider tracer, JsonNode properties) {
    Context context =
        W3CTraceContextPropagator.getInstance()
            .extract(Context.root(), properties, TracingIT::property);
    tracer.get("page").spanBuilder("render").setParent(context).startSpan().end();
  }

  private static String property(JsonNode properties, String key) {
    return properties.has(key) ? properties.get(key).asText() : null;
  }

  @Tag("full")
  @Test
  void shouldShowOneTraceFromThePublisherToTheClient() throws Exception {
    try (TestNode node = ready(config());
        RawWebSocket client = node.json();
        TracedPublisher backend = new TracedPublisher(publisher, receiver);
        SdkTracerProvider page = TracedPublisher.tracers("page", receiver)) {
      client.subscribe(1, "traced.whole");
      backend.publish("traced.whole");
      render(page, client.await("message").get("properties"));

      await().until(() -> receiver.spans().size() == 8);
      Received publish = receiver.span("publish");
      assertThat(receiver.spans()).extracting(Received::traceId).containsOnly(publish.traceId());
      assertThat(receiver.spans())
          .extracting(Received::service)
          .contains("backend", "sluice", "page");
      assertThat(receiver.span("forward").parent()).isEqualTo(publish.id());
      assertThat(receiver.span("render").parent()).isEqualTo(publish.id());
    }
  }

  @Tag("full")
  @Test
  void shouldExportTheTraceOfAWarmTopic() throws Exception {
    try (TestNode node = ready(config().with(HistorySettings.WARM, List.of("warm.>")));
        RawWebSocket client = node.json()) {
      client.subscribe(1, "warm.7");
      send("warm.7", SAMPLED);

      client.await("message");
      await().until(() -> receiver.spans().size() == 6);
      checkChild(receiver.span("last write"), receiver.span("forward"));
    }
  }

  @Tag("full")
  @Test
  void shouldTraceOnlySampledMessages() throws Exception {
    try (TestNode node = ready(config());
        RawWebSocket client = node.json()) {
      client.subscribe(1, "traced.sampled");
      send("traced.sampled", UNSAMPLED);
      assertThat(client.await("message").at("/properties/traceparent").asText())
          .isEqualTo(UNSAMPLED);
      send("traced.sampled", SAMPLED);

      await().until(() -> node.metric("sluice_trace_messages_exported_total") == 1);
      assertThat(receiver.spans()).hasSize(6);
    }
  }

  @Test
  void shouldExportNothingAtASampleRatioOf0() throws Exception {
    try (TestNode node = ready(config().with(AdminSettings.TRACING_SAMPLE_RATIO, 0.0));
        RawWebSocket client = node.json()) {
      client.subscribe(1, "traced.ratio");
      send("traced.ratio", SAMPLED);
      assertThat(client.await("message").at("/properties/traceparent").asText()).isEqualTo(SAMPLED);
    }
    assertThat(receiver.spans()).isEmpty(); // the node has exported all traces before it stopped
  }

  @Test
  void shouldSendSecretHeadersAndExportWhenTheNodeStops(@TempDir Path folder) throws Exception {
    Path headers = Files.writeString(folder.resolve("headers"), "Authorization=Bearer s3cret\n");
    Config config = config().with(AdminSettings.TRACING_HEADERS_FILE, headers.toString());
    try (TestNode node = ready(config);
        RawWebSocket client = node.json()) {
      client.subscribe(1, "traced.headers");
      send("traced.headers", SAMPLED);
      client.await("message");
      // The first export takes longest; a stop waits for five seconds.
      await().until(() -> receiver.spans().size() == 6);
      send("traced.headers", SAMPLED);
      client.await("message");
      client.text("{\"type\":\"ping\",\"ref\":2}");
      client.await("pong"); // the write of the message has ended
    }
    assertThat(receiver.spans()).hasSize(12);
    assertThat(receiver.authorizations()).containsOnly("Bearer s3cret");
  }

  @Tag("full")
  @Test
  void shouldDeliverAndCountWhileTheReceiverFails() throws Exception {
    receiver.status(503);
    try (TestNode node = ready(config());
        RawWebSocket client = node.json()) {
      client.subscribe(1, "traced.failing");
      send("traced.failing", SAMPLED);
      client.await("message");
      String dropped = "sluice_trace_messages_dropped_total{cause=\"export-failed\"}";
      await().until(() -> node.metric(dropped) == 1);

      receiver.status(200);
      send("traced.failing", SAMPLED);
      client.await("message");
      await().until(() -> node.metric("sluice_trace_messages_exported_total") == 1);
    }
  }

  @Tag("full")
  @Test
  void shouldExposeTheTraceAsExemplarOfTheLatency() throws Exception {
    try (TestNode node = ready(config());
        RawWebSocket client = node.json()) {
      client.subscribe(1, "traced.exemplar");
      send("traced.exemplar", SAMPLED);
      client.await("message");
      await().until(() -> receiver.spans().size() == 6);

      assertThat(node.openMetrics())
          .containsPattern(
              "sluice_fanout_latency_seconds_bucket\\{le=\"[^\"]+\"\\} 1 # \\{span_id=\""
                  + SPAN
                  + "\",trace_id=\""
                  + TRACE
                  + "\"\\}");
    }
  }

  @Test
  void shouldForwardNoTraceContextWithoutTracing() throws Exception {
    try (TestNode node = ready(TestNode.config("artemis", broker.url()));
        RawWebSocket client = node.json()) {
      client.subscribe(1, "traced.off");
      send("traced.off", SAMPLED);
      assertThat(client.await("message").has("properties")).isFalse();
    }
  }
}
