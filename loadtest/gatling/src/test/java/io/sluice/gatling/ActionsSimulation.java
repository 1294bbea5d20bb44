package io.sluice.gatling;

import static io.gatling.javaapi.core.CoreDsl.*;
import static io.sluice.gatling.SluiceDsl.*;

import io.gatling.javaapi.core.*;
import java.time.Duration;

/** Every action of the protocol, with its checks. */
public final class ActionsSimulation extends Simulation {
  private final String url = System.getProperty("url");

  // #region protocol
  private final SluiceProtocolBuilder protocol =
      sluice
          .url(url)
          .header("X-Desk", "desk-#{user}")
          .encoding(
              Boolean.getBoolean("json")
                  ? SluiceProtocolBuilder.Encoding.JSON
                  : SluiceProtocolBuilder.Encoding.BINARY)
          .connectTimeout(Duration.ofSeconds(20))
          .answerTimeout(Duration.ofSeconds(20));
  // #endregion protocol

  // #region chat
  private final ChainBuilder chat =
      exec(
          sluice("chat").subscribe("chat.#{user}").check(jsonPath("$.text").saveAs("text")),
          sluice("send")
              .publish("chat.#{user}")
              .payload("{\"text\":\"hello #{user}\"}")
              .property("lang", "en"),
          sluice("chat").await(1));

  // #endregion chat

  private final ChainBuilder history =
      exec(
          sluice("history")
              .subscribe("chat.#{user}")
              .tagged()
              .last(5)
              .check(count().is(1), seq().gaps().is(0), substring("hello").exists()),
          sluice("history").awaitFor(Duration.ofMillis(200)),
          sluice("history").unsubscribe(),
          sluice("selected")
              .subscribe("chat.#{user}")
              .where("lang = 'en'")
              .check(message().transform(message -> message.topic()).isEL("chat.#{user}")),
          sluice("send")
              .publish("chat.#{user}")
              .payload("{\"text\":\"bye\"}")
              .property("lang", "fr"),
          sluice("send")
              .publish("chat.#{user}")
              .payload("{\"text\":\"bye\"}")
              .property("lang", "en"),
          sluice("selected").await(1),
          sluice("selected").unsubscribe());

  // #region queues
  private final ChainBuilder queues =
      exec(
          sluice("quote")
              .requestToQueue("prices")
              .payload("EURUSD")
              .timeout(Duration.ofSeconds(20))
              .check(bodyString().is("1.0934"), bodyString().saveAs("price")),
          sluice("order").publishToQueue("orders").payload("buy at #{price}").priority(7),
          sluice("orders").consume("orders").credit(10).check(bodyString().is("buy at 1.0934")),
          sluice("orders").await(1),
          sluice("orders").acknowledge(),
          sluice("orders").unsubscribe());

  // #endregion queues

  private final ScenarioBuilder scenario =
      scenario("All actions")
          .exec(session -> session.set("user", Boolean.getBoolean("json") ? "a" : "b"))
          .exec(sluice("login").connect())
          .group("talk")
          .on(chat, history)
          .exec(queues)
          .exec(
              sluice("saved").publish("saved").payload("#{text} #{price}"),
              sluice("bye").close(),
              sluice("again").publish("chat.a"));

  public ActionsSimulation() {
    setUp(scenario.injectOpen(atOnceUsers(1)))
        .protocols(protocol)
        .assertions(
            global().failedRequests().count().is(0L),
            details("login").successfulRequests().count().is(1L),
            details("talk", "chat subscribe").successfulRequests().count().is(1L),
            details("talk", "chat").successfulRequests().count().gte(1L),
            details("talk", "chat await").successfulRequests().count().is(1L),
            details("talk", "history check").successfulRequests().count().is(1L),
            details("talk", "selected").successfulRequests().count().is(1L),
            details("talk", "selected unsubscribe").successfulRequests().count().is(1L),
            details("quote").successfulRequests().count().is(1L),
            details("orders consume").successfulRequests().count().is(1L),
            details("orders").successfulRequests().count().is(1L),
            details("orders acknowledge").successfulRequests().count().is(1L),
            details("saved").successfulRequests().count().is(1L),
            details("connect").successfulRequests().count().is(1L));
  }
}
