package io.sluice.loadtest.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Validation of the model with the recorded runs of this repository. */
class RecordedModelTest {
  private final NodeModel model = NodeModel.included();

  @Test
  void shouldCoverHeldOutRuns() {
    Validation validation = model.validation();

    assertThat(validation.runs()).isGreaterThanOrEqualTo(12);
    // Of 12 runs, fewer than 10 are covered with a probability of 2 % if the intervals are right.
    assertThat(validation.coverage()).as(validation.toText()).isGreaterThanOrEqualTo(10 / 12.0);
  }

  @Test
  void shouldHaveUsefulIntervals() {
    Validation validation = model.validation();

    assertThat(validation.halfWidth()).as(validation.toText()).isLessThan(0.6);
    assertThat(validation.error()).as(validation.toText()).isLessThan(0.25);
  }

  @Test
  void shouldPlanMillionClients() {
    ClusterPlan plan = ClusterPlanner.plan(model, 1_000_000, true, Map.of());

    assertThat(plan.nodes()).isBetween(10.0, 200.0);
    assertThat(plan.isSufficient()).isTrue();
    assertThat(plan.toMarkdown())
        .contains("held-out runs are within their 95 % prediction interval");
  }
}
