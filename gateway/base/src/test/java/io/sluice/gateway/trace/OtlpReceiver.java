package io.sluice.gateway.trace;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPInputStream;

/** A receiver of OTLP over HTTP that keeps the spans. Any thread may read them. */
public final class OtlpReceiver implements AutoCloseable {
  /** A received span with the attribute service.name of its resource. */
  public record Received(String service, Span span) {
    public String name() {
      return span.getName();
    }

    public String traceId() {
      return hex(span.getTraceId());
    }

    public String id() {
      return hex(span.getSpanId());
    }

    public String parent() {
      return hex(span.getParentSpanId());
    }

    public String attribute(String key) {
      return value(span.getAttributesList(), key);
    }
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newFixedThreadPool(2);
  private final List<Received> spans = new CopyOnWriteArrayList<>();
  private final List<String> authorizations = new CopyOnWriteArrayList<>();
  private volatile int status = 200;

  public OtlpReceiver() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/v1/traces", this::receive);
    server.setExecutor(threads);
    server.start();
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1/traces";
  }

  /** Answers later requests with this status. */
  public void status(int code) {
    status = code;
  }

  public List<Received> spans() {
    return spans;
  }

  public Received span(String name) {
    return spans.stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
  }

  /** The header Authorization of each request. */
  public List<String> authorizations() {
    return authorizations;
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getResponseHeaders().set("Access-Control-Allow-Origin", "*");
      exchange.getResponseHeaders().set("Access-Control-Allow-Headers", "*");
      boolean accepted = status == 200 && exchange.getRequestMethod().equals("POST");
      byte[] body = exchange.getRequestBody().readAllBytes();
      if (accepted) {
        authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
        read(ExportTraceServiceRequest.parseFrom(inflated(exchange, body)));
      }
      exchange.sendResponseHeaders(status, -1);
    }
  }

  private static byte[] inflated(HttpExchange exchange, byte[] body) throws IOException {
    if (!"gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"))) {
      return body;
    }
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
      return in.readAllBytes();
    }
  }

  private void read(ExportTraceServiceRequest request) {
    for (ResourceSpans resource : request.getResourceSpansList()) {
      String service = service(resource.getResource());
      resource.getScopeSpansList().stream()
          .flatMap(scope -> scope.getSpansList().stream())
          .forEach(span -> spans.add(new Received(service, span)));
    }
  }

  private static String service(Resource resource) {
    return value(resource.getAttributesList(), "service.name");
  }

  private static String value(List<KeyValue> attributes, String key) {
    return attributes.stream()
        .filter(each -> each.getKey().equals(key))
        .map(
            each ->
                each.getValue().hasIntValue()
                    ? Long.toString(each.getValue().getIntValue())
                    : each.getValue().getStringValue())
        .findFirst()
        .orElse(null);
  }

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
