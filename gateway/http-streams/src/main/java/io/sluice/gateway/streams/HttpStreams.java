package io.sluice.gateway.streams;

import io.sluice.gateway.config.NearestKey;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.http.HttpExchange;
import io.sluice.gateway.http.HttpProtocol;
import io.sluice.gateway.http.OpenProtocols;
import io.sluice.gateway.protocol.BadFrame;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.MessageFormats;
import io.sluice.gateway.streams.events.EventFormat;
import io.sluice.gateway.streams.events.EventStreams;
import io.sluice.gateway.streams.read.HttpReads;
import io.sluice.gateway.streams.route.Cors;
import io.sluice.gateway.streams.route.StreamRequest;
import io.sluice.gateway.streams.route.TicketRequests;
import io.sluice.gateway.streams.route.Tickets;
import io.sluice.gateway.streams.route.TopicPath;
import io.sluice.gateway.streams.route.UrlQuery;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The protocol HTTP with Server-Sent Events of a node: its routes. For any thread. */
public final class HttpStreams implements HttpProtocol {
  /** Headers that pages may read. */
  private static final Set<String> EXPOSED =
      Set.of(
          "ETag",
          "Location",
          "Retry-After",
          "Sluice-Gap",
          "Sluice-Repeat",
          "Sluice-Stale",
          "Stream-Closed",
          "Stream-Cursor",
          "Stream-Next-Offset",
          "Stream-Up-To-Date");

  private static final Set<String> NO_PARAMETERS = Set.of();
  private static final Set<String> TICKET_PARAMETERS = Set.of("topic");
  private static final Set<String> READ_PARAMETERS = Set.of("offset", "live", "cursor", "ticket");
  private static final Set<String> EVENT_PARAMETERS =
      Set.of("topic", "data", "where", "delivery", "rate", "offset", "live", "ticket");

  private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST");

  private final TicketRequests tickets;
  private final HttpReads reads;
  private final EventStreams events;

  private HttpStreams(Tickets tickets) {
    this.tickets = new TicketRequests(tickets);
    this.reads = new HttpReads(this.tickets);
    this.events = new EventStreams(this.tickets);
  }

  /** Returns what the node serves by this protocol. */
  public static OpenProtocols of(StreamOptions options) {
    Tickets tickets = new Tickets(options.secret(), System::currentTimeMillis);
    return new OpenProtocols(
        new MessageFormats(EventFormat.ALL).plus(new MessageFormats(HttpReads.FORMATS)),
        List.of(),
        List.of(new HttpStreams(tickets)),
        List.of(tickets));
  }

  @Override
  public boolean serves(String path) {
    return TopicPath.isBelow(TopicPath.TOPICS, path)
        || TopicPath.isBelow(TopicPath.QUEUES, path)
        || path.equals(TicketRequests.PATH);
  }

  @Override
  public void serve(HttpExchange exchange) {
    HttpServerRequest request = exchange.request();
    List<String> origin = request.headers().getAll("Origin");
    Cors cors = new Cors(exchange.origins(), EXPOSED, METHODS);
    if (!exchange.origins().allow(exchange::headers)) {
      exchange.refuse(Refusal.origin());
    } else if (request.method().name().equals("OPTIONS")) {
      answer(request.response(), cors.preflight(origin));
    } else {
      serve(exchange, cors.headers(origin));
    }
  }

  @Override
  public void refuse(HttpExchange exchange, Refusal refusal) {
    UrlQuery query = UrlQuery.of(exchange.request().query());
    Map<String, String> cors = exchange.origins().readable(exchange.headers("Origin"));
    new StreamRequest(exchange, "", query == null ? UrlQuery.NONE : query, cors).refuse(refusal);
  }

  private static void answer(HttpServerResponse response, Map<String, String> headers) {
    headers.forEach(response::putHeader);
    response.setStatusCode(204).end();
  }

  private void serve(HttpExchange exchange, Map<String, String> cors) {
    String path = exchange.request().path();
    boolean isTicket = path.equals(TicketRequests.PATH);
    boolean isQueue = TopicPath.isBelow(TopicPath.QUEUES, path);
    String name =
        isTicket ? "" : TopicPath.name(isQueue ? TopicPath.QUEUES : TopicPath.TOPICS, path);
    UrlQuery query = UrlQuery.of(exchange.request().query());
    if (name == null || query == null) {
      String what =
          name == null ? "path names no topic: one segment, in UTF-8" : "query is not UTF-8";
      exchange.refuse(Refusal.bad("the " + what).with(cors));
      return;
    }
    StreamRequest request = new StreamRequest(exchange, name, query, cors);
    if (isTicket) {
      serveIfKnown(request, TICKET_PARAMETERS, () -> tickets.serve(request));
      return;
    }
    switch (exchange.request().method().name()) {
      case "GET", "HEAD" -> read(request, isQueue);
      case "POST" -> publish(request, isQueue);
      default ->
          request.refuse(Refusal.method("the method is not GET, HEAD or POST", "GET, HEAD, POST"));
    }
  }

  private void read(StreamRequest request, boolean isQueue) {
    if (isQueue) {
      request.refuse(Refusal.method("queues are not read by HTTP", "POST"));
    } else if (request.isForEvents()) {
      serveIfKnown(request, EVENT_PARAMETERS, () -> events.serve(request));
    } else {
      // Durable Streams requires that a read ignores what no parameter resembles.
      List<String> mistaken =
          request.query().unknown(READ_PARAMETERS).stream()
              .filter(
                  name -> EVENT_PARAMETERS.contains(name) || !hint(name, READ_PARAMETERS).isEmpty())
              .toList();
      serveUnless(mistaken, request, READ_PARAMETERS, () -> reads.read(request));
    }
  }

  private static void serveIfKnown(StreamRequest request, Set<String> known, Runnable serve) {
    serveUnless(request.query().unknown(known), request, known, serve);
  }

  private static void serveUnless(
      List<String> mistaken, StreamRequest request, Set<String> known, Runnable serve) {
    if (mistaken.isEmpty()) {
      serve.run();
    } else {
      String name = mistaken.get(0);
      request.refuse(
          Refusal.bad(
              "unknown parameter "
                  + BadFrame.shortened(name)
                  + (EVENT_PARAMETERS.contains(name)
                      ? ", which event streams have (Accept: text/event-stream)"
                      : hint(name, known))));
    }
  }

  private static String hint(String name, Set<String> known) {
    return NearestKey.hint(BadFrame.shortened(name), known);
  }

  private void publish(StreamRequest request, boolean isQueue) {
    if (request.query().has("ticket")) {
      request.refuse(Refusal.forbidden("a ticket is for reading, not for publishing"));
      return;
    }
    Destination to =
        isQueue ? Destination.queue(request.name()) : Destination.topic(request.name());
    serveIfKnown(request, NO_PARAMETERS, () -> reads.publish(request, to));
  }
}
