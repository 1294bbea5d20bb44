package io.sluice.gateway.admin.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.query.ConsumerState;
import io.sluice.gateway.query.SubscriptionFigures;
import io.sluice.gateway.query.TopicFigures;
import io.sluice.gateway.query.TopicLoad;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WhyStepsTest {
  private static final InterestKey KEY = InterestKey.of("a");
  private static final InterestKey SELECTED = new InterestKey("a", "x = 1");
  private static final TopicLoad FREE = new TopicLoad(1, 2);
  private static final long SINCE = 10_000;

  private static TopicFigures interest(InterestKey key, ConsumerState state, long lastMs) {
    return new TopicFigures(key, 0, 0, 1, 0, 0, 0, lastMs, 0, state);
  }

  private static SubscriptionFigures subscription(InterestKey key, long lag, int gaps) {
    return new SubscriptionFigures(key, true, 5, lag, gaps, SINCE);
  }

  private static WhyClient client(long pending, SubscriptionFigures... subscriptions) {
    return new WhyClient("s-1", "192.0.2.1", 0, null, null, pending, List.of(subscriptions));
  }

  private static List<WhyStep> steps(WhyClient client, TopicLoad load, TopicFigures... topics) {
    return new WhySteps("a", new WhySteps.Facts("gw", List.of(topics), load, "connected"))
        .of(client);
  }

  private static String firstProblem(List<WhyStep> steps) {
    return steps.stream().filter(WhyStep::isProblem).map(WhyStep::step).findFirst().orElse("none");
  }

  @Test
  void shouldPassAllStepsInOrder() {
    List<WhyStep> steps =
        steps(client(0, subscription(KEY, 0, 0)), FREE, interest(KEY, ConsumerState.ACTIVE, SINCE));
    assertThat(steps).extracting(WhyStep::step).containsExactlyElementsOf(WhyStep.ALL);
    assertThat(WhyStep.answer(steps)).startsWith("no problem");
  }

  @Test
  void shouldNamePermissionBeforeTheMissingSubscription() {
    WhyClient forbidden = new WhyClient("s-1", "", 0, "may not", null, 0, List.of());
    assertThat(WhyStep.answer(steps(forbidden, FREE))).isEqualTo("permission: may not");
  }

  @Test
  void shouldNameLimitsOnlyForNewTopics() {
    TopicLoad full = new TopicLoad(2, 2);
    assertThat(firstProblem(steps(client(0), full))).isEqualTo("limits");
    TopicFigures open = interest(KEY, ConsumerState.ACTIVE, SINCE);
    assertThat(firstProblem(steps(client(0), full, open))).isEqualTo("interest");
    WhyClient limited = new WhyClient("s-1", "", 0, null, "too many", 0, List.of());
    assertThat(WhyStep.answer(steps(limited, FREE))).isEqualTo("limits: too many");
  }

  @Test
  void shouldNameTheConsumerThatIsNotActive() {
    WhyClient client = client(0, subscription(KEY, 0, 0));
    assertThat(firstProblem(steps(client, FREE))).isEqualTo("broker-consumer");
    for (ConsumerState state : List.of(ConsumerState.LOST, ConsumerState.OPENING)) {
      assertThat(firstProblem(steps(client, FREE, interest(KEY, state, SINCE))))
          .isEqualTo("broker-consumer");
    }
    WhyClient waiting = client(0, new SubscriptionFigures(KEY, false, 0, 0, 0, SINCE));
    assertThat(firstProblem(steps(waiting, FREE, interest(KEY, ConsumerState.ACTIVE, SINCE))))
        .isEqualTo("broker-consumer");
  }

  @Test
  void shouldNameMessagesThatPrecedeTheSubscription() {
    WhyClient client = client(0, subscription(KEY, 0, 0));
    assertThat(WhyStep.answer(steps(client, FREE, interest(KEY, ConsumerState.ACTIVE, SINCE - 1))))
        .startsWith("last-message: ")
        .contains("the latest has arrived at 1970-01-01T00:00:09.999Z");
    assertThat(WhyStep.answer(steps(client, FREE, interest(KEY, ConsumerState.ACTIVE, -1))))
        .startsWith("last-message: ")
        .contains("has received none");
  }

  @Test
  void shouldDecideTheFilterByAnInterestWithoutASelector() {
    WhyClient client = client(0, subscription(SELECTED, 0, 0));
    TopicFigures silent = interest(SELECTED, ConsumerState.ACTIVE, -1);
    TopicFigures others = interest(KEY, ConsumerState.ACTIVE, SINCE);
    assertThat(WhyStep.answer(steps(client, FREE, silent)))
        .startsWith("not decided, last-message: ");
    assertThat(firstProblem(steps(client, FREE, silent, others))).isEqualTo("filter");
    TopicFigures matching = interest(SELECTED, ConsumerState.ACTIVE, SINCE);
    assertThat(firstProblem(steps(client, FREE, matching, others))).isEqualTo("none");
  }

  @Test
  void shouldNotInferATopicFromMessagesOfItsPattern() {
    InterestKey pattern = InterestKey.of(">");
    WhyClient client = client(0, subscription(pattern, 0, 0));
    TopicFigures any = interest(pattern, ConsumerState.ACTIVE, SINCE);
    assertThat(WhyStep.answer(steps(client, FREE, any)))
        .startsWith("not decided, last-message: messages of > have arrived");
    TopicFigures exact = interest(KEY, ConsumerState.ACTIVE, SINCE);
    assertThat(WhyStep.answer(steps(client, FREE, any, exact))).startsWith("no problem");
  }

  @Test
  void shouldNameAClientThatIsBehind() {
    TopicFigures interest = interest(KEY, ConsumerState.ACTIVE, SINCE);
    assertThat(firstProblem(steps(client(1, subscription(KEY, 1, 0)), FREE, interest)))
        .isEqualTo("position");
    long normal = WhySteps.NORMAL_PENDING_BYTES;
    assertThat(firstProblem(steps(client(normal, subscription(KEY, 0, 0)), FREE, interest)))
        .isEqualTo("none");
    assertThat(firstProblem(steps(client(normal + 1, subscription(KEY, 0, 0)), FREE, interest)))
        .isEqualTo("position");
  }

  @Test
  void shouldNameGaps() {
    TopicFigures interest = interest(KEY, ConsumerState.ACTIVE, SINCE);
    assertThat(firstProblem(steps(client(0, subscription(KEY, 0, 2)), FREE, interest)))
        .isEqualTo("gaps");
  }

  @Test
  void shouldReportTheSubscriptionThatReceivesMost() {
    InterestKey pattern = InterestKey.of(">");
    WhyClient client = client(0, subscription(KEY, 0, 0), subscription(pattern, 0, 0));
    List<WhyStep> steps =
        steps(
            client,
            FREE,
            interest(KEY, ConsumerState.LOST, -1),
            interest(pattern, ConsumerState.ACTIVE, SINCE));
    assertThat(firstProblem(steps)).isEqualTo("none");
  }
}
