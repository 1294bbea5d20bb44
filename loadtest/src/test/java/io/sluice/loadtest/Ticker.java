package io.sluice.loadtest;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.bodyBytes;
import static io.gatling.javaapi.core.CoreDsl.bodyString;
import static io.gatling.javaapi.core.CoreDsl.details;
import static io.gatling.javaapi.core.CoreDsl.dummy;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.global;
import static io.gatling.javaapi.core.CoreDsl.jsonPath;
import static io.gatling.javaapi.core.CoreDsl.rampUsers;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.ws;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.ScenarioBuilder;
import io.gatling.javaapi.core.Session;
import io.gatling.javaapi.core.Simulation;
import io.gatling.javaapi.http.HttpProtocolBuilder;
import io.gatling.javaapi.http.WsFrameCheck;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Clients that each watch one stock: they subscribe {@code stocks.0}, {@code stocks.1} … in turn
 * and stay. Needs a gateway and the feed of {@code sluice feed}, on the same machine if latency is
 * to mean anything. Gatling makes one instance a run.
 *
 * <pre>
 * mvn -pl loadtest gatling:test -Dgatling.simulationClass=io.sluice.loadtest.Ticker \
 *     -Durl=ws://localhost:8080/ws -Dclients=1000 -Dtopics=100 -Dduration=30 -Dencoding=bin
 * </pre>
 */
public final class Ticker extends Simulation {
  private static final String STREAM = "stream";

  // Parameters, with their defaults: -Durl=… and so on; times in seconds.
  private final Parameters given = new Parameters(System.getProperties());
  private final String url = given.webSocketUrl("url", "ws://localhost:8080/ws");
  private final int clients = given.number("clients", 100, 1);
  private final int measured = given.number("measured", 1000, 0);
  private final int topics = given.number("topics", 100, 1);
  private final Duration ramp = given.seconds("ramp", 5, 0);
  private final Duration duration = given.seconds("duration", 30, 1);
  private final boolean binary = given.word("encoding", "json", "json", "bin").equals("bin");
  private final Duration patience = given.seconds("patience", 10, 1);

  private final AtomicInteger arrivals = new AtomicInteger();
  private final Queue<ClientStream> crowd = new ConcurrentLinkedQueue<>();
  private volatile Span span;

  private final HttpProtocolBuilder protocol = http.disableWarmUp();

  private final ChainBuilder watch =
      exec(
          ws("connect").connect(url).subprotocol(binary ? "sluice.v1.bin" : "sluice.v1.json"),
          exec(this::arrive),
          ws("subscribe")
              .sendText("{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"#{topic}\"}")
              .await(patience)
              .on(subscribed())
              .await(ramp.plus(duration).plus(patience))
              .on(binary ? binaryMessages() : textMessages()),
          ws("close").close(),
          dummy("complete", Ticker::meanMillis).withSuccess(Ticker::complete));

  private final ScenarioBuilder scenario = scenario("ticker").exec(watch);

  public Ticker() {
    setUp(
            scenario.injectOpen(
                ramp.isZero() ? atOnceUsers(clients) : rampUsers(clients).during(ramp)))
        .protocols(protocol)
        .assertions(
            global().failedRequests().count().is(0L),
            details("complete").successfulRequests().count().is((long) clients));
  }

  @Override
  public void before() {
    span = Span.after(Span.unixNanos(), ramp, duration);
  }

  @Override
  public void after() {
    System.out.println(Summary.of(List.copyOf(crowd)).toText());
  }

  private Session arrive(Session session) {
    int number = arrivals.getAndIncrement();
    ClientStream stream = new ClientStream(span, number < measured);
    crowd.add(stream);
    return session.set(STREAM, stream).set("topic", "stocks." + number % topics);
  }

  private static WsFrameCheck subscribed() {
    return ws.checkTextMessage("subscribed")
        .matching(jsonPath("$.type").is("subscribed"), jsonPath("$.ref").is("1"));
  }

  /** Passes each frame to the client's stream at its receipt; matches the first past the end. */
  private static WsFrameCheck textMessages() {
    return ws.checkTextMessage("messages")
        .silent()
        .matching(
            bodyString()
                .transformWithSession(
                    (frame, session) -> of(session).onText(frame, Span.unixNanos()))
                .is(true));
  }

  /** The same; gaps that are told come as text and are not seen here, holes in the numbers are. */
  private static WsFrameCheck binaryMessages() {
    return ws.checkBinaryMessage("messages")
        .silent()
        .matching(
            bodyBytes()
                .transformWithSession(
                    (frame, session) -> of(session).onBinary(frame, Span.unixNanos()))
                .is(true));
  }

  private static int meanMillis(Session session) {
    ClientStream stream = of(session);
    return stream == null || stream.latencyMicros() == null
        ? 0
        : (int) (stream.latencyMicros().getMean() / 1000);
  }

  /** Fails the run where a client missed something, or got it twice or out of order. */
  private static boolean complete(Session session) {
    ClientStream stream = of(session);
    return stream != null && stream.complete();
  }

  private static ClientStream of(Session session) {
    return session.get(STREAM);
  }
}
