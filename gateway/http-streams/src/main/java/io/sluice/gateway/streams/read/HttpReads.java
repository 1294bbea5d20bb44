package io.sluice.gateway.streams.read;

import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.http.BodyReader;
import io.sluice.gateway.http.HttpExchange;
import io.sluice.gateway.limits.Shares;
import io.sluice.gateway.protocol.BadFrame;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.MessageFormat;
import io.sluice.gateway.protocol.PositionText;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.session.ProtocolContext;
import io.sluice.gateway.streams.route.RefusedRequest;
import io.sluice.gateway.streams.route.StreamRequest;
import io.sluice.gateway.streams.route.TicketRequests;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Reads and publishes by single requests. For any thread; each request is bound to its event loop.
 */
public final class HttpReads {
  /** Formats of messages that the node has to register. */
  public static final List<MessageFormat> FORMATS = List.of(RecordFormat.INSTANCE);

  private static final int PAGE_MESSAGES = 1_000;
  private static final int PAGE_BYTES = 256 * 1024;

  /** Bytes of pages that each event loop keeps. */
  private static final int CACHED_BYTES = 4 << 20;

  /** Time for which a read waits for the broker, and by default for a message. */
  private static final int WAIT_SECONDS = 20;

  private static final int MAX_WAIT_SECONDS = 60;

  /** Bytes of a body with several messages. */
  private static final int MAX_ARRAY_BYTES = 1 << 20;

  private static final long BODIES_BYTES = 64L << 20;
  private static final String WAIT = "wait=";

  private final TicketRequests tickets;
  private final Shares bodies = new Shares(BODIES_BYTES);

  /** The latest pages of each event loop. */
  private final Map<ProtocolContext, PageCache> pages = new ConcurrentHashMap<>();

  /** The latest events of each event loop. */
  private final Map<ProtocolContext, SharedEvents> events = new ConcurrentHashMap<>();

  public HttpReads(TicketRequests tickets) {
    this.tickets = tickets;
  }

  /** Answers GET or HEAD of a topic or pattern. */
  public void read(StreamRequest received) {
    HttpExchange exchange = received.exchange();
    HttpServerRequest request = exchange.request();
    Consumer<HttpAnswer> answer = each -> send(received, each);
    PayloadView view = PayloadView.of(received.all("Accept"));
    if (view == null && received.isForDurableEvents()) {
      view = PayloadView.JSON;
    }
    if (view == null) {
      String types = "a response has application/json, text/plain or application/octet-stream";
      answer.accept(HttpAnswer.error(406, "bad-request", types));
      return;
    }
    ReadQuery query;
    Start start;
    try {
      query =
          request.method() == HttpMethod.HEAD ? ReadQuery.OF_TAIL : ReadQuery.of(received.query());
      start = start(query);
    } catch (BadFrame bad) {
      answer.accept(HttpAnswer.error(400, "bad-frame", bad.getMessage()));
      return;
    }
    Credential credential;
    try {
      credential = tickets.credential(received, List.of(received.name()));
    } catch (RefusedRequest refused) {
      received.refuse(refused.refusal());
      return;
    }
    if (received.isForDurableEvents() && request.method() == HttpMethod.GET) {
      stream(received, credential, query, start, view);
      return;
    }
    ReadProgress progress =
        new ReadProgress(
            query,
            start,
            new MessagePage(view, PAGE_MESSAGES, PAGE_BYTES),
            pages.computeIfAbsent(exchange.loop(), loop -> new PageCache(CACHED_BYTES)),
            credential == null,
            tags(received.all("If-None-Match")),
            () ->
                StreamCursor.next(
                    query.cursor(),
                    System.currentTimeMillis(),
                    ThreadLocalRandom.current()::nextInt),
            answer);
    int waitSeconds = query.waits() ? waitSeconds(received.all("Prefer")) : WAIT_SECONDS;
    long timeoutMs = TimeUnit.SECONDS.toMillis(waitSeconds);
    Refusal refusal =
        exchange.collect(
            connection ->
                new ReadClient(
                    exchange.loop(),
                    connection,
                    credential,
                    received.name(),
                    start,
                    timeoutMs,
                    progress));
    if (refusal != null) {
      received.refuse(refusal);
    }
  }

  /** Answers with events, within the handler of the request. */
  private void stream(
      StreamRequest received,
      Credential credential,
      ReadQuery query,
      Start start,
      PayloadView view) {
    SharedEvents shared = events.computeIfAbsent(received.exchange().loop(), SharedEvents::new);
    Refusal refusal =
        received
            .exchange()
            .handOver(
                connection ->
                    new DurableEventStream(
                        connection, received, credential, query, start, view, shared));
    if (refusal != null) {
      received.refuse(refusal);
    }
  }

  private static Start start(ReadQuery query) throws BadFrame {
    return switch (query.place()) {
      case BEGIN -> new Start.Last(Integer.MAX_VALUE);
      case TAIL -> new Start.Last(1);
      case OFFSET -> {
        Start.Position position = PositionText.parse(query.offset());
        if (position == null) {
          throw new BadFrame("\"offset\" must be -1, now or an offset of a response");
        }
        yield position;
      }
    };
  }

  private static List<String> tags(List<String> headers) {
    return headers.stream()
        .flatMap(each -> Stream.of(each.split(",")))
        .map(String::strip)
        .map(each -> each.startsWith("W/") ? each.substring(2) : each)
        .toList();
  }

  /** Returns the wait that a client prefers (RFC 7240), within bounds. */
  private static int waitSeconds(List<String> prefer) {
    for (String header : prefer) {
      for (String each : header.split("[,;]")) {
        String value = each.strip();
        if (value.startsWith(WAIT) && value.substring(WAIT.length()).matches("\\d{1,4}")) {
          int wanted = Integer.parseInt(value.substring(WAIT.length()));
          return Math.max(1, Math.min(MAX_WAIT_SECONDS, wanted));
        }
      }
    }
    return WAIT_SECONDS;
  }

  /**
   * Answers POST of a topic or queue, after its body is received.
   *
   * @param to not validated
   */
  public void publish(StreamRequest received, Destination to) {
    HttpExchange exchange = received.exchange();
    long messageBytes = exchange.loop().policy().options().messageBytes();
    boolean isArray = !to.isQueue() && isJson(received.header("Content-Type"));
    long maxBytes = isArray ? Math.max(MAX_ARRAY_BYTES, messageBytes) : messageBytes;
    new BodyReader(
            exchange.request(),
            bodies,
            AddressRange.network(exchange.address()),
            maxBytes,
            received::refuse,
            body -> publish(received, to, body, messageBytes))
        .begin();
  }

  private static boolean isJson(String contentType) {
    return contentType != null && contentType.contains("json");
  }

  private static void publish(
      StreamRequest received, Destination to, byte[] body, long messageBytes) {
    HttpExchange exchange = received.exchange();
    List<ClientFrame.Publish> frames;
    try {
      frames = HttpPublish.frames(to, exchange.request().headers().entries(), body);
    } catch (HttpPublish.Unsupported unsupported) {
      send(received, HttpAnswer.error(501, "unsupported", unsupported.getMessage()));
      return;
    } catch (IOException bad) {
      send(received, HttpAnswer.error(400, "bad-frame", bad.getMessage()));
      return;
    }
    if (frames.stream().anyMatch(each -> each.payload().length > messageBytes)) {
      received.refuse(Refusal.tooLong(messageBytes));
      return;
    }
    Credential credential = exchange.credential();
    Refusal refusal =
        exchange.collect(
            connection ->
                new PublishClient(
                    exchange.loop(),
                    connection,
                    credential,
                    frames,
                    answer -> send(received, answer)));
    if (refusal != null) {
      received.refuse(refusal);
    }
  }

  private static void send(StreamRequest received, HttpAnswer answer) {
    HttpServerResponse response = received.exchange().request().response();
    if (response.closed() || response.ended()) {
      return; // the client has disconnected
    }
    response.setStatusCode(answer.status());
    received.cors().forEach(response::putHeader);
    answer.headers().forEach(response::putHeader);
    received.exchange().end(answer.body());
  }
}
