package io.sluice.gateway.stomp;

import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.http.BodyReader;
import io.sluice.gateway.http.HttpExchange;
import io.sluice.gateway.http.HttpProtocol;
import io.sluice.gateway.limits.Shares;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Requests of SockJS: the description of the endpoint, and the transports xhr-streaming and
 * xhr-polling. For any thread.
 */
final class SockJsHttp implements HttpProtocol {
  private static final String INFO = StompProtocol.PATH + "/info";
  private static final Pattern XHR =
      Pattern.compile(StompProtocol.PATH + "/[^/.]+/([^/.]+)/(xhr|xhr_streaming|xhr_send)");

  /** Lengths of a session's name, which is also its secret. */
  private static final int MIN_NAME = 8;

  private static final int MAX_NAME = 64;
  private static final long BODIES_BYTES = 64L << 20;
  private static final String MAX_AGE_SECONDS = "86400";

  private final StompNode node;
  private final Map<String, XhrSession> sessions = new ConcurrentHashMap<>();
  private final Shares bodies = new Shares(BODIES_BYTES);

  SockJsHttp(StompNode node) {
    this.node = node;
  }

  @Override
  public boolean serves(String path) {
    return path.equals(INFO) || XHR.matcher(path).matches();
  }

  @Override
  public void serve(HttpExchange exchange) {
    Matcher path = XHR.matcher(exchange.request().path());
    Map<String, String> cors = cors(exchange);
    if (!path.matches()) {
      info(exchange);
    } else if (!exchange.origins().allow(exchange::headers)) {
      exchange.refuse(Refusal.origin().with(exchange.origins().readable(origin(exchange))));
    } else {
      HttpServerResponse response = exchange.request().response();
      cors.forEach(response::putHeader);
      switch (exchange.request().method().name()) {
        case "OPTIONS" -> preflight(response);
        case "POST" -> post(exchange, path.group(1), path.group(2), cors);
        default -> exchange.refuse(Refusal.method("the method is not POST", "POST").with(cors));
      }
    }
  }

  private static List<String> origin(HttpExchange exchange) {
    return exchange.request().headers().getAll("Origin");
  }

  private static Map<String, String> cors(HttpExchange exchange) {
    Map<String, String> cors = new HashMap<>(Map.of("Vary", "Origin"));
    List<String> origin = origin(exchange);
    if (!origin.isEmpty()) {
      cors.put("Access-Control-Allow-Origin", origin.get(0).strip());
      if (exchange.origins().isNamed(origin.get(0))) {
        cors.put("Access-Control-Allow-Credentials", "true");
      }
    }
    return cors;
  }

  private static void info(HttpExchange exchange) {
    HttpServerResponse response = exchange.request().response();
    exchange.origins().readable(origin(exchange)).forEach(response::putHeader);
    response
        .putHeader("Content-Type", "application/json; charset=UTF-8")
        .putHeader("Cache-Control", "no-store")
        .end(
            new JsonObject()
                .put("websocket", true)
                .put("cookie_needed", false)
                .put("origins", new JsonArray().add("*:*"))
                .put("entropy", ThreadLocalRandom.current().nextLong(1L << 32))
                .encode());
  }

  private static void preflight(HttpServerResponse response) {
    response
        .putHeader("Access-Control-Allow-Methods", "OPTIONS, POST")
        .putHeader("Access-Control-Allow-Headers", "authorization, content-type")
        .putHeader("Access-Control-Max-Age", MAX_AGE_SECONDS)
        .setStatusCode(204)
        .end();
  }

  private void post(
      HttpExchange exchange, String name, String transport, Map<String, String> cors) {
    if (name.length() < MIN_NAME || name.length() > MAX_NAME) {
      String lengths = MIN_NAME + " to " + MAX_NAME + " characters";
      exchange.refuse(Refusal.bad("a session of SockJS has " + lengths).with(cors));
      return;
    }
    XhrSession session = sessions.get(name);
    boolean receives = !transport.equals("xhr_send");
    if (session == null ? !receives : !session.belongsTo(exchange)) {
      exchange.refuse(Refusal.notFound("this node has no such session of SockJS").with(cors));
    } else if (!receives) {
      send(exchange, session, cors);
    } else if (session != null) {
      attach(exchange, session, transport);
    } else {
      open(exchange, name, transport, cors);
    }
  }

  private static void attach(HttpExchange exchange, XhrSession session, String transport) {
    XhrReceiver receiver = new XhrReceiver(exchange, session, transport.equals("xhr_streaming"));
    session.execute(() -> session.attach(receiver));
  }

  private void open(
      HttpExchange exchange, String name, String transport, Map<String, String> cors) {
    XhrSession session =
        new XhrSession(
            exchange.loop(),
            exchange.credential(),
            AddressRange.network(exchange.address()),
            () -> sessions.remove(name));
    Refusal refusal = Refusal.bad("another request has just opened this session of SockJS");
    if (sessions.putIfAbsent(name, session) == null) {
      refusal = exchange.detach(session, connection -> session.open(connection, node));
      if (refusal != null) {
        sessions.remove(name);
      }
    }
    if (refusal == null) {
      attach(exchange, session, transport);
    } else {
      exchange.refuse(refusal.with(cors));
    }
  }

  private void send(HttpExchange exchange, XhrSession session, Map<String, String> cors) {
    Consumer<byte[]> onBody =
        body -> {
          session.execute(() -> session.receive(body));
          exchange.request().response().setStatusCode(204).end();
        };
    new BodyReader(
            exchange.request(),
            bodies,
            AddressRange.network(exchange.address()),
            exchange.loop().policy().options().messageBytes(),
            refusal -> exchange.refuse(refusal.with(cors)),
            onBody)
        .begin();
  }
}
