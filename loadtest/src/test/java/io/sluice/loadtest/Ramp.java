package io.sluice.loadtest;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;

import io.gatling.javaapi.core.Simulation;
import io.sluice.loadtest.Inspector.RunInspection;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Steps up until the gateway breaks: more clients ({@code -Dgrow=clients}, from {@code from} to
 * {@code to} by {@code step}), or more messages of each topic ({@code -Dgrow=rate}), for which the
 * simulation starts the feed itself, by the command {@code feed} in which {@code RATE} stands for
 * the step's. A step breaks if its p99 is above {@code objective} ms, or anything was lost or
 * failed. It is the last one, and no failure, unless it is the first.
 */
public final class Ramp extends Simulation implements Course {
  private final Parameters given = new Parameters(System.getProperties());
  private final boolean growsRate = given.word("grow", "clients", "clients", "rate").equals("rate");
  private final int clients = given.number("clients", 1000, 1);
  private final double from = given.decimal("from", growsRate ? 10 : 1000, 1);
  private final double to = given.decimal("to", growsRate ? 100 : 10000, 1);
  private final double step = given.decimal("step", growsRate ? 10 : 1000, 1);
  private final double objective = given.decimal("objective", 50, 0.001);
  private final String feed = given.text("feed", "");
  private final LoadOptions settings = LoadOptions.of(given);

  private final LoadPlan plan =
      settings.plan("Ramp", steps(), new Objectives(Map.of("p99", objective)));
  private final Campaign campaign = new Campaign(plan, this, System.out);
  private final Clients users = new Clients(campaign, plan);
  private FeedProcess publisher;

  public Ramp() {
    if (growsRate && !feed.contains(FeedProcess.RATE)) {
      throw new IllegalArgumentException(
          "-Dfeed=" + feed + ": should be a command with RATE in it, for -Dgrow=rate");
    }
    setUp(
            users.measured().injectOpen(atOnceUsers(users.count())),
            users.judge().injectOpen(atOnceUsers(1)))
        .protocols(users.measuredProtocol())
        .assertions(Verdict.of(campaign));
  }

  @Override
  public void before() {
    campaign.start();
  }

  @Override
  public void after() {
    if (publisher != null) {
      publisher.close();
    }
  }

  @Override
  public void prepare(LoadProfile load) throws IOException {
    if (growsRate) {
      if (publisher != null) {
        publisher.close();
      }
      publisher = FeedProcess.start(feed, load.rate());
    }
  }

  @Override
  public boolean goesOn(RunInspection finding) {
    return finding.isFlawless();
  }

  @Override
  public boolean isFailure(RunInspection finding) {
    return finding.run().number() == 1;
  }

  private List<LoadProfile> steps() {
    List<LoadProfile> steps = new ArrayList<>();
    for (double at = from; at <= to; at += step) {
      steps.add(growsRate ? settings.load(clients, at) : settings.load((int) at));
    }
    if (steps.isEmpty()) {
      throw new IllegalArgumentException("-Dfrom=" + from + ": should be at most -Dto=" + to);
    }
    return steps;
  }
}
