package io.sluice.loadtest;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;

import io.gatling.javaapi.core.Simulation;
import java.util.List;

/**
 * Stock ticker: the load generators' clients record nothing, and a few measured clients record
 * every message. Each client subscribes to one topic and stays connected. The load generators have
 * {@code clients - measured} clients.
 *
 * <pre>
 * mvn -pl loadtest gatling:test -Dgatling.simulationClass=io.sluice.loadtest.Ticker \
 *     -Durl=ws://localhost:8080/ws -Dmetrics=http://localhost:9090/metrics -Dclients=10000
 * </pre>
 */
public final class Ticker extends Simulation {
  private final Parameters given = new Parameters(System.getProperties());
  private final int clients = given.number("clients", 1000, 1);
  private final Objectives objectives = Objectives.of(given);
  private final LoadOptions settings = LoadOptions.of(given);

  private final LoadPlan plan =
      settings.plan("Ticker", List.of(settings.load(clients)), objectives);
  private final Campaign campaign = new Campaign(plan, new SimulationStrategy() {}, System.out);
  private final Clients users = new Clients(campaign, plan);

  public Ticker() {
    setUp(
            users.measured().injectOpen(atOnceUsers(users.count())),
            users.verdict().injectOpen(atOnceUsers(1)))
        .protocols(users.measuredProtocol())
        .assertions(Verdict.of(campaign));
  }

  @Override
  public void before() {
    campaign.start();
  }
}
