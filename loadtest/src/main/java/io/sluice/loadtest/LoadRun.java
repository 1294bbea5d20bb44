package io.sluice.loadtest;

import io.sluice.loadtest.result.Measurement;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.UnaryOperator;

/**
 * Load test of one running gateway without Gatling: the same load, measured clients and checks as
 * the simulation {@code Ticker}. Immutable; one thread measures.
 */
public final class LoadRun {
  private final LoadPlan plan;

  /**
   * Creates a load test.
   *
   * @param parameters those of the simulation {@code Ticker}, by name
   * @param label names a parameter in errors as the user enters it
   * @throws IllegalArgumentException for an invalid value; the message names the parameter
   */
  public LoadRun(Properties parameters, UnaryOperator<String> label) {
    Parameters given = new Parameters(parameters, label);
    int clients = given.number("clients", 1000, 1);
    LoadOptions options = LoadOptions.of(given);
    this.plan =
        options.plan(
            parameters.getProperty("simulation", "Load"),
            List.of(options.load(clients)),
            new Objectives(Map.of()));
  }

  /**
   * Measures the gateway; blocks for the duration of the load test.
   *
   * @param out receives the progress
   * @throws IOException if it could not be completed; the message contains the reason
   */
  public Result measure(PrintStream out) throws IOException, InterruptedException {
    try (MeasuredSockets sockets = new MeasuredSockets(plan.target(), plan.timing())) {
      Campaign campaign = new Campaign(plan, sockets, out);
      return new Result(campaign.measure(), campaign.violations());
    } catch (CampaignFailure e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /**
   * Result of a load test. Immutable.
   *
   * @param violations failed checks, one line each
   */
  public record Result(Measurement measurement, List<String> violations) {}
}
