package io.sluice.loadtest;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;

import io.gatling.javaapi.core.Simulation;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Connection storm after the warm-up. All clients of the load generators connect ({@code
 * -Dstorm=connect}), or lose their connections and reconnect ({@code reconnect}), within {@code
 * ramp} seconds.
 *
 * <p>At the same time {@code joining} further clients connect, and the time from connecting to the
 * subscription is recorded for each. The measured clients stay connected and measure the effect.
 */
public final class Storm extends Simulation implements SimulationStrategy {
  private final Parameters given = new Parameters(System.getProperties());
  private final int clients = given.number("clients", 1000, 1);
  private final boolean reconnects =
      given.word("storm", "reconnect", "connect", "reconnect").equals("reconnect");
  private final int joining = given.number("joining", 100, 0);
  private final Objectives objectives = Objectives.of(given);
  private final LoadOptions settings = LoadOptions.of(given);

  private final LoadPlan plan = settings.plan("Storm", List.of(settings.load(clients)), objectives);
  private final Campaign campaign = new Campaign(plan, this, System.out);
  private final Clients users = new Clients(campaign, plan);

  public Storm() {
    setUp(
            users.measured().injectOpen(atOnceUsers(users.count())),
            users
                .transientClients()
                .injectOpen(atOnceUsers(Math.max(1, joining)))
                .protocols(users.transientProtocol()),
            users.verdict().injectOpen(atOnceUsers(1)))
        .protocols(users.measuredProtocol())
        .assertions(Verdict.of(campaign));
  }

  @Override
  public void before() {
    campaign.start();
  }

  @Override
  public ArrivalSchedule arrivals(int run, RunTiming timing) {
    return ArrivalSchedule.together(joining, timing.warmUp(), timing.duration());
  }

  @Override
  public int generatedClients(LoadProfile load) {
    return Math.max(0, load.clients() - load.measured() - joining);
  }

  @Override
  public int initialGeneratedClients(LoadProfile load) {
    return reconnects ? generatedClients(load) : 0;
  }

  @Override
  public Duration disturb(LoadGenerators generators, LoadProfile load)
      throws IOException, InterruptedException {
    return reconnects ? generators.reconnect() : generators.resize(generatedClients(load));
  }
}
