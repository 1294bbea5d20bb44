package io.sluice.gateway.trace;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.internal.FailedExportException.HttpExportException;
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
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.ConfiguredSource;
import io.sluice.gateway.config.RequestFailure;
import io.sluice.gateway.config.ServiceUrl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Export of traces as spans of OpenTelemetry. Bound to the thread of the {@link SpanQueue}. */
final class SpanExport implements SpanQueue.Export {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  /** The library's logger. The reference keeps its level, which the JDK stores weakly. */
  private static final Logger LIBRARY = Logger.getLogger("io.opentelemetry");

  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;

  private final String endpoint;
  private final SpanExporter exporter;
  private final SdkTracerProvider provider;
  private final TraceSpans spans;
  private final List<SpanData> ended = new ArrayList<>();

  private SpanExport(
      String endpoint, SpanExporter exporter, Resource resource, List<ConfiguredSource> sources) {
    this.endpoint = endpoint;
    this.exporter = exporter;
    SpanIds ids = new SpanIds();
    this.provider =
        SdkTracerProvider.builder()
            .setIdGenerator(ids)
            .setResource(resource)
            .setSampler(Sampler.alwaysOn()) // the messages are sampled before
            .addSpanProcessor(new Collector(ended))
            .build();
    this.spans = new TraceSpans(provider.get("io.sluice.gateway"), ids, sources);
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
    String endpoint = ServiceUrl.masked(options.endpoint());
    return new SpanExport(endpoint, exporter.build(), resource(options), options.sources());
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
  public String export(List<EndedTrace> traces) {
    ended.clear();
    traces.forEach(spans::build);
    CompletableResultCode result = exporter.export(List.copyOf(ended));
    result.join(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    if (result.isSuccess()) {
      return null;
    }
    Throwable cause = result.getFailureThrowable();
    return cause == null ? "no response within " + TIMEOUT.toSeconds() + " s" : reason(cause);
  }

  private static String reason(Throwable cause) {
    if (!(cause instanceof HttpExportException failure) || !failure.failedWithResponse()) {
      return RequestFailure.reason(cause);
    }
    int status = failure.getResponse().getStatusCode();
    return status == UNAUTHORIZED || status == FORBIDDEN
        ? "status " + status + "; check " + AdminSettings.TRACING_HEADERS_FILE.key()
        : "status " + status;
  }

  @Override
  public String endpoint() {
    return endpoint;
  }

  @Override
  public void close() {
    provider.close();
    exporter.shutdown();
  }
}
