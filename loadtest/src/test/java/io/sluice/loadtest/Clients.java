package io.sluice.loadtest;

import static io.gatling.javaapi.core.CoreDsl.asLongAs;
import static io.gatling.javaapi.core.CoreDsl.bodyBytes;
import static io.gatling.javaapi.core.CoreDsl.bodyString;
import static io.gatling.javaapi.core.CoreDsl.doIf;
import static io.gatling.javaapi.core.CoreDsl.dummy;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.jsonPath;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.ws;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.ScenarioBuilder;
import io.gatling.javaapi.core.Session;
import io.gatling.javaapi.http.HttpProtocolBuilder;
import io.gatling.javaapi.http.WsFrameCheck;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Gatling scenarios of all simulations' clients. Gatling's threads call it. */
final class Clients {
  private static final String STREAM = "stream";
  private static final String RUN = "run";
  private static final String NUMBER = "number";
  private static final String LATEST = "latest";
  private static final String WAIT = "wait";
  private static final Duration POLL = Duration.ofMillis(50);

  private final Campaign campaign;
  private final GatewayTarget target;
  private final RunTiming timing;
  private final int measured;
  private final AtomicInteger numbers = new AtomicInteger();

  Clients(Campaign campaign, LoadPlan plan) {
    this.campaign = campaign;
    this.target = plan.target();
    this.timing = plan.timing();
    this.measured = plan.steps().get(0).measured();
  }

  /** Returns the number of measured clients of every run. */
  int count() {
    return measured;
  }

  /** Returns the protocol of measured clients. */
  HttpProtocolBuilder measuredProtocol() {
    return protocol(campaign::onControl);
  }

  /** Returns the protocol of transient clients. */
  HttpProtocolBuilder transientProtocol() {
    return protocol(campaign::onTransientControl);
  }

  /**
   * Returns a protocol that passes text frames on. Checks for binary frames skip them, but gaps are
   * text frames. The auto-reply null sends nothing.
   */
  private HttpProtocolBuilder protocol(Consumer<String> onControl) {
    HttpProtocolBuilder plain = http.disableWarmUp();
    return target.binary()
        ? plain.wsAutoReplyTextFrame(
            frame -> {
              onControl.accept(frame);
              return null;
            })
        : plain;
  }

  /**
   * Returns the scenario of measured clients: one connection per run, from its start to its end.
   */
  ScenarioBuilder measured() {
    return scenario("measured")
        .exec(session -> session.set(NUMBER, numbers.getAndIncrement()).set(LATEST, 0))
        .exec(
            untilOver(
                doIf(this::isRunOpen)
                    .then(
                        pause(this::connectDelay),
                        exec(this::startMeasured),
                        connection(),
                        exec(this::endMeasured))));
  }

  /** Returns the scenario of transient clients, which follow the runs' arrival schedules. */
  ScenarioBuilder transientClients() {
    return scenario("transient")
        .exec(
            untilOver(
                exec(this::startTransient),
                doIf(session -> session.contains(STREAM))
                    .then(
                        pause(session -> session.get(WAIT)),
                        connection(),
                        exec(this::endTransient))));
  }

  /**
   * Returns the scenario that waits for the campaign's end and records one request per check.
   * Gatling's assertions refer to these requests.
   */
  ScenarioBuilder verdict() {
    ChainBuilder verdicts =
        exec(
            campaign.checks().stream()
                .map(
                    check ->
                        exec(
                            dummy(check, 0)
                                .withSuccess(session -> campaign.violation(check).isEmpty())))
                .toList());
    return scenario("verdict").exec(untilOver(), verdicts);
  }

  private ChainBuilder untilOver(ChainBuilder... steps) {
    ChainBuilder round = pause(POLL);
    for (ChainBuilder step : steps) {
      round = round.exec(step);
    }
    return asLongAs(session -> !campaign.isOver()).on(round);
  }

  private ChainBuilder connection() {
    return exec(
            ws("connect").connect(target.url()).subprotocol(target.subprotocol()), open(), watch())
        .exec(ws("close").close());
  }

  private ChainBuilder open() {
    return target
        .connectFrame()
        .map(
            frame ->
                exec(
                    ws("open")
                        .sendText(session -> frame)
                        .await(timing.timeout())
                        .on(ws.checkTextMessage("hello").matching(jsonPath("$.type").is("hello")))))
        .orElse(exec(session -> session));
  }

  private ChainBuilder watch() {
    return exec(
        ws("subscribe")
            .sendText("{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"#{topic}\"}")
            .await(timing.timeout())
            .on(subscribed())
            .await(timing.timeout())
            .on(target.binary() ? firstBinary() : firstText())
            .await(timing.connected())
            .on(target.binary() ? lastBinary() : lastText()));
  }

  private WsFrameCheck subscribed() {
    return ws.checkTextMessage("subscribed")
        .matching(
            jsonPath("$.type").is("subscribed"),
            jsonPath("$.ref")
                .transformWithSession(
                    (ref, session) -> {
                      of(session).onSubscribed(Span.unixNanos());
                      return ref;
                    })
                .is("1"));
  }

  /** Passes frames to the client's stream at their receipt, up to the first message. */
  private static WsFrameCheck firstText() {
    return ws.checkTextMessage("first message")
        .silent()
        .matching(
            bodyString()
                .transformWithSession(
                    (frame, session) -> {
                      of(session).onText(frame, Span.unixNanos());
                      return of(session).isReceiving();
                    })
                .is(true));
  }

  /** Passes frames up to the first message after the end of the client's time. */
  private static WsFrameCheck lastText() {
    return ws.checkTextMessage("messages")
        .silent()
        .matching(
            bodyString()
                .transformWithSession(
                    (frame, session) -> of(session).onText(frame, Span.unixNanos()))
                .is(true));
  }

  private static WsFrameCheck firstBinary() {
    return ws.checkBinaryMessage("first message")
        .silent()
        .matching(
            bodyBytes()
                .transformWithSession(
                    (frame, session) -> {
                      of(session).onBinary(frame, Span.unixNanos());
                      return true;
                    })
                .is(true));
  }

  private static WsFrameCheck lastBinary() {
    return ws.checkBinaryMessage("messages")
        .silent()
        .matching(
            bodyBytes()
                .transformWithSession(
                    (frame, session) -> of(session).onBinary(frame, Span.unixNanos()))
                .is(true));
  }

  private boolean isRunOpen(Session session) {
    ActiveRun activeRun = campaign.openRun();
    return activeRun != null && activeRun.number() > session.getInt(LATEST);
  }

  private Duration connectDelay(Session session) {
    ActiveRun activeRun = campaign.openRun();
    return activeRun == null ? Duration.ZERO : activeRun.connectDelay(session.getInt(NUMBER));
  }

  private Session startMeasured(Session session) {
    ActiveRun activeRun = campaign.openRun();
    ClientStream stream = activeRun.newMeasuredStream(session.getInt(NUMBER), Span.unixNanos());
    return session
        .set(RUN, activeRun)
        .set(LATEST, activeRun.number())
        .set(STREAM, stream)
        .set("topic", stream.topic());
  }

  private Session endMeasured(Session session) {
    ActiveRun activeRun = session.get(RUN);
    activeRun.onMeasuredDisconnected(of(session), session.isFailed(), Span.unixNanos());
    return session.markAsSucceeded();
  }

  private Session startTransient(Session session) {
    ActiveRun activeRun = campaign.startedRun();
    TransientClient client = activeRun == null ? null : activeRun.arrivals().next();
    if (client == null) {
      return session.remove(STREAM);
    }
    ClientStream stream = activeRun.newTransientStream(client);
    long due = activeRun.time().span().fromUnixNanos() + client.at().toNanos();
    Duration wait = Duration.ofNanos(Math.max(0, due - Span.unixNanos()));
    return session
        .set(RUN, activeRun)
        .set(STREAM, stream)
        .set("topic", stream.topic())
        .set(WAIT, wait);
  }

  private Session endTransient(Session session) {
    ActiveRun activeRun = session.get(RUN);
    boolean stayed = of(session).hasEndedBy(Span.unixNanos());
    activeRun.transientClients().add(of(session), stayed && !session.isFailed());
    return session.markAsSucceeded();
  }

  private static ClientStream of(Session session) {
    return session.get(STREAM);
  }
}
