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

/** The Gatling users of all simulations: what they do from their connection to their end. */
final class Clients {
  private static final String STREAM = "stream";
  private static final String STAGE = "stage";
  private static final String NUMBER = "number";
  private static final String LATEST = "latest";
  private static final String WAIT = "wait";
  private static final Duration LOOK = Duration.ofMillis(50);

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

  /** How many measured clients there are, in every run. */
  int count() {
    return measured;
  }

  /** Connections of measured clients. */
  HttpProtocolBuilder measuredProtocol() {
    return protocol(campaign::onControl);
  }

  /** Connections of clients that come and go. */
  HttpProtocolBuilder visitorProtocol() {
    return protocol(campaign::onControlOfVisitor);
  }

  /** Checks for binary frames pass by text, in which gaps are told; null is no reply to it. */
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

  /** Takes part in each run, on a connection of its own, from its beginning to its end. */
  ScenarioBuilder measured() {
    return scenario("measured")
        .exec(session -> session.set(NUMBER, numbers.getAndIncrement()).set(LATEST, 0))
        .exec(
            untilOver(
                doIf(this::isWanted)
                    .then(
                        pause(this::shareOfRamp),
                        exec(this::join),
                        connection(),
                        exec(this::leave))));
  }

  /** Comes and goes within runs as they have planned it. */
  ScenarioBuilder visitor() {
    return scenario("visitor")
        .exec(
            untilOver(
                exec(this::visit),
                doIf(session -> session.contains(STREAM))
                    .then(pause(session -> session.get(WAIT)), connection(), exec(this::depart))));
  }

  /** Waits for the end, and says what was found, so that assertions can be made about it. */
  ScenarioBuilder judge() {
    ChainBuilder verdicts =
        exec(
            campaign.checks().stream()
                .map(
                    check ->
                        exec(
                            dummy(check, 0)
                                .withSuccess(session -> campaign.complaint(check).isEmpty())))
                .toList());
    return scenario("judge").exec(untilOver(), verdicts);
  }

  private ChainBuilder untilOver(ChainBuilder... steps) {
    ChainBuilder round = pause(LOOK);
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
                        .await(timing.patience())
                        .on(ws.checkTextMessage("hello").matching(jsonPath("$.type").is("hello")))))
        .orElse(exec(session -> session));
  }

  private ChainBuilder watch() {
    return exec(
        ws("subscribe")
            .sendText("{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"#{topic}\"}")
            .await(timing.patience())
            .on(subscribed())
            .await(timing.patience())
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

  /** The same up to the first message past the client's end. */
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

  private boolean isWanted(Session session) {
    ActiveRun stage = campaign.open();
    return stage != null && stage.number() > session.getInt(LATEST);
  }

  private Duration shareOfRamp(Session session) {
    return timing.ramp().multipliedBy(session.getInt(NUMBER)).dividedBy(measured);
  }

  private Session join(Session session) {
    ActiveRun stage = campaign.open();
    ClientStream stream = stage.join(session.getInt(NUMBER), Span.unixNanos());
    return session
        .set(STAGE, stage)
        .set(LATEST, stage.number())
        .set(STREAM, stream)
        .set("topic", stream.topic());
  }

  private Session leave(Session session) {
    ActiveRun stage = session.get(STAGE);
    stage.leave(of(session), session.isFailed(), Span.unixNanos());
    return session.markAsSucceeded();
  }

  private Session visit(Session session) {
    ActiveRun stage = campaign.running();
    Visit visit = stage == null ? null : stage.visits().next();
    if (visit == null) {
      return session.remove(STREAM);
    }
    ClientStream stream = stage.come(visit);
    long due = stage.time().span().fromUnixNanos() + visit.at().toNanos();
    Duration wait = Duration.ofNanos(Math.max(0, due - Span.unixNanos()));
    return session
        .set(STAGE, stage)
        .set(STREAM, stream)
        .set("topic", stream.topic())
        .set(WAIT, wait);
  }

  private Session depart(Session session) {
    ActiveRun stage = session.get(STAGE);
    boolean stayed = of(session).endedBy(Span.unixNanos());
    stage.visitors().add(of(session), stayed && !session.isFailed());
    return session.markAsSucceeded();
  }

  private static ClientStream of(Session session) {
    return session.get(STREAM);
  }
}
