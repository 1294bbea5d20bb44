package io.sluice.loadtest;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;

import io.gatling.javaapi.core.Simulation;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import java.time.Duration;
import java.util.List;

/**
 * Churn: transient clients arrive independently at a mean rate of {@code churn} per second and stay
 * for {@code stay} seconds. The load generators' clients and the measured clients stay connected.
 */
public final class Churn extends Simulation implements SimulationStrategy {
  private final Parameters given = new Parameters(System.getProperties());
  private final int clients = given.number("clients", 1000, 1);
  private final double churn = given.decimal("churn", 20, 0.1);
  private final Duration stay = given.seconds("stay", 5, 1);
  private final Objectives objectives = Objectives.of(given);
  private final LoadOptions settings = LoadOptions.of(given);

  /** Mean number of connected transient clients. Twice as many users are injected for peaks. */
  private final int meanTransient = (int) Math.ceil(churn * stay.toSeconds());

  private final LoadPlan plan = settings.plan("Churn", List.of(settings.load(clients)), objectives);
  private final Campaign campaign = new Campaign(plan, this, System.out);
  private final Clients users = new Clients(campaign, plan);

  public Churn() {
    setUp(
            users.measured().injectOpen(atOnceUsers(users.count())),
            users
                .transientClients()
                .injectOpen(atOnceUsers(2 * meanTransient + 10))
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
    return ArrivalSchedule.random(churn, timing.run(), stay, settings.seed() + run);
  }

  @Override
  public int generatedClients(LoadProfile load) {
    return Math.max(0, load.clients() - load.measured() - meanTransient);
  }
}
