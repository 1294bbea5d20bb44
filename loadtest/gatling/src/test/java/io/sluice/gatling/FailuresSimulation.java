package io.sluice.gatling;

import static io.gatling.javaapi.core.CoreDsl.*;
import static io.sluice.gatling.SluiceDsl.*;

import io.gatling.javaapi.core.*;
import java.time.Duration;

/** Failures that the protocol reports, each under another name. The assertion fails. */
public final class FailuresSimulation extends Simulation {
  private final ScenarioBuilder scenario =
      scenario("Failures")
          .exec(
              sluice("refused").subscribe("stocks..7"),
              sluice("gap")
                  .subscribe("gaps")
                  .check(seq().noGaps(), age().max().gt(Duration.ofDays(1))),
              sluice("content").subscribe("gaps").tagged().check(jsonPath("$.price").exists()),
              sluice("gap").await(1).within(Duration.ofSeconds(30)),
              sluice("gap").await(5).within(Duration.ofMillis(100)),
              sluice("missing").publish("chat.#{nobody}"),
              sluice("nothing").await(1),
              sluice("silence").requestToQueue("silence").timeout(Duration.ofMillis(100)),
              sluice("gap").unsubscribe());

  private final ScenarioBuilder unreachable =
      scenario("Unreachable").exec(sluice("login").connect());

  private final ScenarioBuilder unauthorized =
      scenario("Unauthorized")
          .exec(session -> session.set("userId", session.userId()))
          .exec(sluice("login").connect(), sluice("again").publish("chat.1"));

  public FailuresSimulation() {
    setUp(
            scenario.injectOpen(atOnceUsers(1)).protocols(sluice.url(System.getProperty("url"))),
            unauthorized
                .injectOpen(atOnceUsers(1))
                .protocols(sluice.url(System.getProperty("url")).token("of #{userId}")),
            unreachable
                .injectOpen(atOnceUsers(1))
                .protocols(sluice.url(System.getProperty("url") + "/none")))
        .assertions(global().failedRequests().count().is(0L));
  }
}
