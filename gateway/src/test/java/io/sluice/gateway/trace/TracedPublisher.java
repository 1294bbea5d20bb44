package io.sluice.gateway.trace;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.Message;
import java.util.HashMap;
import java.util.Map;

/** A JMS publisher that records spans and sends their context with its messages. */
public final class TracedPublisher implements AutoCloseable {
  private final TestPublisher publisher;
  private final SdkTracerProvider tracers;

  /** A publisher that exports the spans of the service {@code backend} to this receiver. */
  public TracedPublisher(TestPublisher publisher, OtlpReceiver receiver) {
    this.publisher = publisher;
    this.tracers = tracers("backend", receiver);
  }

  /** Tracers of another process, which exports each span to this receiver. */
  public static SdkTracerProvider tracers(String service, OtlpReceiver receiver) {
    return SdkTracerProvider.builder()
        .setResource(
            Resource.create(Attributes.of(AttributeKey.stringKey("service.name"), service)))
        .addSpanProcessor(
            SimpleSpanProcessor.create(
                OtlpHttpSpanExporter.builder().setEndpoint(receiver.url()).build()))
        .build();
  }

  /** Publishes a message within a span that is named {@code publish}. */
  public void publish(String topic) throws Exception {
    Span span = tracers.get("jms").spanBuilder("publish").startSpan();
    Message message = publisher.session().createTextMessage("101.5");
    Map<String, String> fields = new HashMap<>();
    W3CTraceContextPropagator.getInstance()
        .inject(Context.root().with(span), fields, (map, key, value) -> map.put(key, value));
    for (Map.Entry<String, String> field : fields.entrySet()) {
      message.setStringProperty(field.getKey(), field.getValue());
    }
    publisher.send(topic, message);
    span.end();
  }

  @Override
  public void close() {
    tracers.close();
  }
}
