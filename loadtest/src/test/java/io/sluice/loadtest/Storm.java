package io.sluice.loadtest;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;

import io.gatling.javaapi.core.Simulation;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Connection storm: after the warm-up all clients of the load generators connect ({@code
 * -Dstorm=connect}), or loses its connections and comes back ({@code reconnect}), within {@code
 * ramp} seconds, and with it {@code joining} clients of whom each one's time from connecting to its
 * subscription is taken. The measured clients stay, and see what the others do to them.
 */
public final class Storm extends Simulation implements Course {
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
                .visitor()
                .injectOpen(atOnceUsers(Math.max(1, joining)))
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
    return Visits.together(joining, timing.warmUp(), timing.duration());
  }

  @Override
  public int crowd(LoadProfile load) {
    return Math.max(0, load.clients() - load.measured() - joining);
  }

  @Override
  public int crowdAtStart(LoadProfile load) {
    return reconnects ? crowd(load) : 0;
  }

  @Override
  public Duration disturb(LoadGenerators generators, LoadProfile load)
      throws IOException, InterruptedException {
    return reconnects ? generators.reconnect() : generators.resize(crowd(load));
  }
}
