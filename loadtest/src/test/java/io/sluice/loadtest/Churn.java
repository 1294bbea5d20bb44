package io.sluice.loadtest;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;

import io.gatling.javaapi.core.Simulation;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import java.time.Duration;
import java.util.List;

/**
 * Clients that come and go, {@code churn} a second on average and independent of each other, and
 * stay for {@code stay} seconds, while the load generators and the measured clients stay
 * throughout.
 */
public final class Churn extends Simulation implements Course {
  private final Parameters given = new Parameters(System.getProperties());
  private final int clients = given.number("clients", 1000, 1);
  private final double churn = given.decimal("churn", 20, 0.1);
  private final Duration stay = given.seconds("stay", 5, 1);
  private final Objectives objectives = Objectives.of(given);
  private final LoadOptions settings = LoadOptions.of(given);

  /** Those who are there on average, and as many again for times when more come. */
  private final int visitors = (int) Math.ceil(churn * stay.toSeconds());

  private final LoadPlan plan = settings.plan("Churn", List.of(settings.load(clients)), objectives);
  private final Campaign campaign = new Campaign(plan, this, System.out);
  private final Clients users = new Clients(campaign, plan);

  public Churn() {
    setUp(
            users.measured().injectOpen(atOnceUsers(users.count())),
            users
                .visitor()
                .injectOpen(atOnceUsers(2 * visitors + 10))
                .protocols(users.visitorProtocol()),
            users.judge().injectOpen(atOnceUsers(1)))
        .protocols(users.measuredProtocol())
        .assertions(Verdict.of(campaign));
  }

  @Override
  public void before() {
    campaign.start();
  }

  @Override
  public Visits visits(int run, RunTiming timing) {
    return Visits.random(churn, timing.run(), stay, settings.seed() + run);
  }

  @Override
  public int crowd(LoadProfile load) {
    return Math.max(0, load.clients() - load.measured() - visitors);
  }
}
