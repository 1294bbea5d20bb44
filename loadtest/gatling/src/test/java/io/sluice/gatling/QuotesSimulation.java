package io.sluice.gatling;

import static io.gatling.javaapi.core.CoreDsl.*;
import static io.sluice.gatling.SluiceDsl.*;

import io.gatling.javaapi.core.*;
import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;

/** Clients that watch one quote each, and expect messages in order and in time. */
public final class QuotesSimulation extends Simulation {
  private final String url = System.getProperty("url", "ws://localhost:8080/ws");
  private final int users = Integer.getInteger("users", 100);
  private final int seconds = Integer.getInteger("seconds", 60);
  private final int limit = Integer.getInteger("limit", 50);

  private final FeederBuilder<Object> ids =
      listFeeder(IntStream.range(0, 100).mapToObj(id -> Map.<String, Object>of("id", id)).toList());

  private final ScenarioBuilder clients =
      scenario("Clients")
          .feed(ids.circular())
          .exec(
              sluice("quotes")
                  .subscribe("stocks.#{id}")
                  .check(seq().noGaps(), age().p99().lt(Duration.ofMillis(limit))),
              pause(Duration.ofSeconds(seconds)),
              sluice("quotes").unsubscribe());

  public QuotesSimulation() {
    setUp(clients.injectOpen(rampUsers(users).during(seconds / 2)))
        .protocols(sluice.url(url))
        .assertions(global().failedRequests().count().is(0L));
  }
}
