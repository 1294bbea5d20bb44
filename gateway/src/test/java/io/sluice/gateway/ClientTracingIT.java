package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.trace.OtlpReceiver;
import io.sluice.gateway.trace.OtlpReceiver.Received;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Spans of clients' publishes, and of messages of queues, as an OTLP receiver gets them. */
@Timeout(180)
final class ClientTracingIT {
  private static final Duration EXPORT = Duration.ofMinutes(1);
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN = "00f067aa0ba902b7";
  private static final StatusCode ERROR = StatusCode.STATUS_CODE_ERROR;

  private static TestBroker broker;

  private OtlpReceiver receiver;
  private TestNode node;
  private RawWebSocket client;

  @BeforeAll
  static void startBroker() {
    broker = TestBroker.start("artemis");
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void start() {
    receiver = new OtlpReceiver();
    Config config =
        TestNode.config("artemis", broker.url())
            .with(AdminSettings.TRACING_ENDPOINT, receiver.url())
            .with(TopicSettings.QUEUES_SEND, List.of(">"))
            .with(TopicSettings.QUEUES_CONSUME, List.of(">"));
    node = TestNode.start(config);
    node.awaitReady();
    client = node.json();
    say("'type':'connect'");
    client.await("hello");
  }

  @AfterEach
  void stop() {
    client.close();
    node.close();
    receiver.close();
  }

  private void say(String members) {
    client.text("{" + members.replace('\'', '"') + "}");
  }

  /** Members of a message with the context of a page's span. */
  private static String traced(String destination, String flags) {
    String context = "00-" + TRACE + "-" + SPAN + "-" + flags;
    return destination + ",'payload':'7','properties':{'traceparent':'" + context + "'}";
  }

  private void publish(String destination) {
    say("'type':'publish','ref':2," + traced(destination, "01"));
    client.await("published");
  }

  private void consume(String queue) {
    say("'type':'consume','ref':7,'queue':'" + queue + "','credit':10");
    client.await("consuming");
  }

  private Received awaitSpan(String name) {
    await()
        .atMost(EXPORT)
        .untilAsserted(
            () -> assertThat(receiver.spans()).extracting(Received::name).contains(name));
    return receiver.span(name);
  }

  private static String traceparent(Received span) {
    return "00-" + TRACE + "-" + span.id() + "-01";
  }

  private static void checkPublish(Received publish, String destination) {
    assertThat(publish.traceId()).isEqualTo(TRACE);
    assertThat(publish.parent()).isEqualTo(SPAN);
    assertThat(publish.span().getKind()).isEqualTo(SpanKind.SPAN_KIND_PRODUCER);
    assertThat(publish.attribute("messaging.destination.name")).isEqualTo(destination);
    assertThat(publish.span().getEndTimeUnixNano())
        .isGreaterThan(publish.span().getStartTimeUnixNano());
  }

  @Tag("full")
  @Test
  void shouldSendTheContextOfThePublishToSubscribers() {
    client.subscribe(1, "traced.publish");
    say("'type':'publish','ref':2," + traced("'topic':'traced.publish'", "01"));
    JsonNode message = client.await("message");

    Received publish = awaitSpan("publish");
    checkPublish(publish, "traced.publish");
    assertThat(message.at("/properties/traceparent").asText()).isEqualTo(traceparent(publish));
    assertThat(awaitSpan("forward").parent()).isEqualTo(publish.id());
  }

  @Tag("full")
  @Test
  void shouldTraceAMessageOfAQueueUntilItsAcknowledgement() {
    publish("'queue':'traced.ack'");
    consume("traced.ack");
    JsonNode delivery = client.await("delivery");
    say("'type':'ack','ref':8,'subscription':7,'tag':" + delivery.get("tag"));
    client.await("settled");

    Received deliver = awaitSpan("deliver");
    Received publish = awaitSpan("publish");
    checkPublish(publish, "traced.ack");
    assertThat(delivery.at("/properties/traceparent").asText()).isEqualTo(traceparent(publish));
    assertThat(deliver.traceId()).isEqualTo(TRACE);
    assertThat(deliver.parent()).isEqualTo(publish.id());
    assertThat(deliver.span().getKind()).isEqualTo(SpanKind.SPAN_KIND_CONSUMER);
    assertThat(deliver.attribute("messaging.destination.name")).isEqualTo("traced.ack");
    assertThat(deliver.attribute("sluice.settlement")).isEqualTo("ack");
    for (String stage : List.of("receive", "write", "settle")) {
      assertThat(awaitSpan(stage).parent()).as(stage).isEqualTo(deliver.id());
    }
  }

  @Tag("full")
  @Test
  void shouldEndTheTraceOfAMessageThatReturnsToItsQueue() {
    publish("'queue':'traced.closed'");
    consume("traced.closed");
    client.await("delivery");
    client.close();

    assertThat(awaitSpan("deliver").attribute("sluice.settlement")).isEqualTo("closed");
  }

  @Tag("full")
  @Test
  void shouldTraceRequestsAndReplies() {
    consume("traced.quotes");
    say("'type':'request','ref':3," + traced("'queue':'traced.quotes'", "01"));
    JsonNode delivery = client.await("delivery");
    say(
        "'type':'respond','ref':4,'subscription':7,'tag':"
            + delivery.get("tag")
            + ",'payload':'8'");
    client.await("reply");

    Received publish = awaitSpan("publish");
    checkPublish(publish, "traced.quotes");
    assertThat(delivery.at("/properties/traceparent").asText()).isEqualTo(traceparent(publish));
  }

  @Tag("full")
  @Test
  void shouldTracePublishesAndAcknowledgementsOfATransaction() {
    publish("'queue':'traced.orders'");
    consume("traced.orders");
    JsonNode delivery = client.await("delivery");
    say(
        "'type':'transaction','ref':9,'publish':[{"
            + traced("'queue':'traced.fills'", "01")
            + "}],'ack':[{'subscription':7,'tag':"
            + delivery.get("tag")
            + "}]");
    client.await("committed");

    assertThat(awaitSpan("deliver").attribute("sluice.settlement")).isEqualTo("ack");
    await()
        .atMost(EXPORT)
        .untilAsserted(
            () ->
                assertThat(receiver.spans())
                    .filteredOn(span -> span.name().equals("publish"))
                    .extracting(span -> span.attribute("messaging.destination.name"))
                    .containsExactlyInAnyOrder("traced.orders", "traced.fills"));
  }

  @Tag("full")
  @Test
  void shouldReportARejectedTransactionAsErrorOfItsSpans() {
    publish("'queue':'traced.pending'");
    consume("traced.pending");
    JsonNode delivery = client.await("delivery");
    String ack = "{'subscription':7,'tag':" + delivery.get("tag") + "}";
    say("'type':'transaction','ref':9,'ack':[" + ack + "]");
    client.await("committed");
    say(
        "'type':'transaction','ref':10,'publish':[{"
            + traced("'queue':'traced.unsent'", "01")
            + "}],'ack':["
            + ack
            + "]");
    assertThat(client.await("error").get("code").asText()).isEqualTo("not-pending");

    await()
        .atMost(EXPORT)
        .untilAsserted(
            () ->
                assertThat(receiver.spans())
                    .filteredOn(span -> span.span().getStatus().getCode() == ERROR)
                    .extracting(span -> span.attribute("error.type"))
                    .containsExactly("not-pending"));
  }

  @Test
  void shouldForwardTheContextOfAnUnsampledPublishUnchanged() {
    client.subscribe(1, "traced.unsampled");
    say("'type':'publish','ref':2," + traced("'topic':'traced.unsampled'", "00"));
    assertThat(client.await("message").at("/properties/traceparent").asText())
        .isEqualTo("00-" + TRACE + "-" + SPAN + "-00");
    node.close();
    assertThat(receiver.spans()).isEmpty(); // the node has exported all traces before it stopped
  }
}
