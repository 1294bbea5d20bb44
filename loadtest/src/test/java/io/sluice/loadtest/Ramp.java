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
 * Stepwise increase of the load until the gateway exceeds its limits, from {@code from} to {@code
 * to} by {@code step}.
 *
 * <p>{@code -Dgrow=clients} adds clients. {@code -Dgrow=rate} adds messages per topic; the
 * simulation then starts the feed with the command {@code feed}, in which {@code RATE} is replaced.
 *
 * <p>A step fails if its p99 is above {@code objective} ms, or if messages were lost or connections
 * failed. It is the last step. It fails the simulation only if it is the first step.
 */
public final class Ramp extends Simulation implements SimulationStrategy {
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
          "-Dfeed=" + feed + ": must be a command that contains RATE, for -Dgrow=rate");
    }
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
  public boolean continuesAfter(RunInspection inspection) {
    return inspection.isFaultless();
  }

  @Override
  public boolean isFailure(RunInspection inspection) {
    return inspection.run().number() == 1;
  }

  private List<LoadProfile> steps() {
    List<LoadProfile> steps = new ArrayList<>();
    for (double value = from; value <= to; value += step) {
      steps.add(growsRate ? settings.load(clients, value) : settings.load((int) value));
    }
    if (steps.isEmpty()) {
      throw new IllegalArgumentException("-Dfrom=" + from + ": must be at most -Dto=" + to);
    }
    return steps;
  }
}
