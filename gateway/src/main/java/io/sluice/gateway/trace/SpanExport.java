package io.sluice.gateway.trace;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.sluice.gateway.trace.MessageTrace.Write;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Export of traces as spans of OpenTelemetry: {@code forward}, a child of the publisher's span, and
 * its children {@code receive}, {@code log}, {@code fan-out}, {@code first write} and {@code last
 * write}. Bound to the thread of the {@link SpanQueue}.
 */
final class SpanExport implements SpanQueue.Export {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
  private static final AttributeKey<String> DESTINATION =
      AttributeKey.stringKey("messaging.destination.name");
  private static final AttributeKey<String> OPERATION =
      AttributeKey.stringKey("messaging.operation.type");
  private static final AttributeKey<Long> BROKER_TIME =
      AttributeKey.longKey("sluice.broker.time_ms");
  private static final AttributeKey<Long> CLIENTS = AttributeKey.longKey("sluice.clients");

  /** The library's logger. The reference keeps its level, which the JDK stores weakly. */
  private static final Logger LIBRARY = Logger.getLogger("io.opentelemetry");

  private final SpanExporter exporter;
  private final SdkTracerProvider provider;
  private final Tracer tracer;
  private final List<SpanData> ended = new ArrayList<>();

  private SpanExport(SpanExporter exporter, Resource resource) {
    this.exporter = exporter;
    this.provider =
        SdkTracerProvider.builder()
            .setResource(resource)
            .setSampler(Sampler.alwaysOn()) // the messages are sampled before
            .addSpanProcessor(new Collector(ended))
            .build();
    this.tracer = provider.get("io.sluice.gateway");
  }

  /** Creates an export by OTLP over HTTP. */
  static SpanExport open(TracingOptions options) {
    LIBRARY.setLevel(Level.OFF); // the node logs failures itself, once
    OtlpHttpSpanExporterBuilder exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(options.endpoint())
            .setCompression("gzip")
            .setTimeout(TIMEOUT)
            .setRetryPolicy(null);
    options.headers().forEach(exporter::addHeader);
    return new SpanExport(exporter.build(), resource(options));
  }

  private static Resource resource(TracingOptions options) {
    return Resource.create(
        Attributes.builder()
            .put("service.name", options.serviceName())
            .put("service.instance.id", options.node())
            .put("service.version", options.version())
            .build());
  }

  /** Collector of ended spans. */
  private record Collector(List<SpanData> ended) implements SpanProcessor {
    @Override
    public void onStart(Context parent, ReadWriteSpan span) {
      // not required
    }

    @Override
    public boolean isStartRequired() {
      return false;
    }

    @Override
    public void onEnd(ReadableSpan span) {
      ended.add(span.toSpanData());
    }

    @Override
    public boolean isEndRequired() {
      return true;
    }
  }

  @Override
  public String export(List<MessageTrace> traces) {
    ended.clear();
    traces.forEach(this::build);
    CompletableResultCode result = exporter.export(List.copyOf(ended));
    result.join(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    if (result.isSuccess()) {
      return null;
    }
    Throwable cause = result.getFailureThrowable();
    return cause == null ? "no response within " + TIMEOUT.toSeconds() + " s" : cause.toString();
  }

  private void build(MessageTrace trace) {
    List<Write> writes = trace.writes();
    Span forward = begin(trace, clients(writes));
    Context parent = Context.root().with(forward);
    long endedNs = trace.receivedNs();
    if (trace.dequeuedNs() != 0) {
      endedNs = child("receive", trace, parent, trace.receivedNs(), trace.dequeuedNs());
    }
    if (trace.loggedNs() != 0) {
      endedNs = child("log", trace, parent, trace.dequeuedNs(), trace.loggedNs());
    }
    if (!writes.isEmpty()) {
      endedNs = fanOut(trace, parent, writes);
    }
    forward.end(trace.epochNs(endedNs), TimeUnit.NANOSECONDS);
  }

  private Span begin(MessageTrace trace, long clients) {
    SpanContext publisher =
        SpanContext.createFromRemoteParent(
            trace.context().traceId(),
            trace.context().spanId(),
            TraceFlags.getSampled(),
            TraceState.getDefault());
    SpanBuilder builder =
        tracer
            .spanBuilder("forward")
            .setParent(Context.root().with(Span.wrap(publisher)))
            .setSpanKind(SpanKind.CONSUMER)
            .setAttribute(SYSTEM, "jms")
            .setAttribute(DESTINATION, trace.topic())
            .setAttribute(OPERATION, "process")
            .setAttribute(BROKER_TIME, trace.brokerMs())
            .setAttribute(CLIENTS, clients);
    return builder
        .setStartTimestamp(trace.epochNs(trace.receivedNs()), TimeUnit.NANOSECONDS)
        .startSpan();
  }

  private static long clients(List<Write> writes) {
    return writes.stream().mapToLong(Write::clients).sum();
  }

  /** Adds the spans of fan-out and writes; returns the end of the last write. */
  private long fanOut(MessageTrace trace, Context parent, List<Write> writes) {
    Comparator<Write> order = Comparator.comparingLong(Write::endedNs);
    Write first = writes.stream().min(order).orElseThrow();
    Write last = writes.stream().max(order).orElseThrow();
    long deliveredNs = writes.stream().mapToLong(Write::beganNs).max().orElseThrow();
    child("fan-out", trace, parent, trace.loggedNs(), deliveredNs);
    child("first write", trace, parent, first.beganNs(), first.endedNs());
    return child("last write", trace, parent, last.beganNs(), last.endedNs());
  }

  private long child(String name, MessageTrace trace, Context parent, long beganNs, long endedNs) {
    tracer
        .spanBuilder(name)
        .setParent(parent)
        .setStartTimestamp(trace.epochNs(beganNs), TimeUnit.NANOSECONDS)
        .startSpan()
        .end(trace.epochNs(endedNs), TimeUnit.NANOSECONDS);
    return endedNs;
  }

  @Override
  public void close() {
    provider.close();
    exporter.shutdown();
  }
}
