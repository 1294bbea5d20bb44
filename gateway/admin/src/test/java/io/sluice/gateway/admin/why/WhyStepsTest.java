package io.sluice.gateway.admin.why;

import static io.sluice.gateway.query.ClientView.NO_PING;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.query.ConsumerState;
import io.sluice.gateway.query.SubscriptionFigures;
import io.sluice.gateway.query.TopicFigures;
import io.sluice.gateway.query.TopicLoad;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WhyStepsTest {
  private static final InterestKey KEY = InterestKey.of("a");
  private static final InterestKey SELECTED = new InterestKey("a", "x = 1");
  private static final TopicLoad FREE = new TopicLoad(1, 2);
  private static final long SINCE = 10_000;

  /** Time of the queries: the latest message is not silent yet. */
  private static final long NOW = SINCE + SubscriptionSteps.SILENCE_MS - 1;

  private static TopicFigures interest(InterestKey key, ConsumerState state, long lastMs) {
    return new TopicFigures(key, "jms", 0, 0, 1, 0, 0, 0, lastMs, 0, state, false);
  }

  private static SubscriptionFigures subscription(InterestKey key, long lag, int gaps) {
    return new SubscriptionFigures(key, true, 5, false, lag, gaps, SINCE, SINCE);
  }

  private static WhyClient client(long pending, SubscriptionFigures... subscriptions) {
    return new WhyClient(
        "s-1", "192.0.2.1", 0, null, null, pending, NO_PING, List.of(subscriptions));
  }

  private static List<WhyStep> steps(WhyClient client, TopicLoad load, TopicFigures... topics) {
    return stepsAt(NOW, client, load, topics);
  }

  private static List<WhyStep> stepsAt(
      long nowMs, WhyClient client, TopicLoad load, TopicFigures... topics) {
    return new WhySteps(
            "a", new WhySteps.Facts("gw", List.of(topics), load, "connected", "", "", nowMs))
        .of(client);
  }

  @Test
  void shouldNameWhyTheTopicOfAConnectedSourceWaits() {
    for (ConsumerState state : List.of(ConsumerState.ACTIVE, ConsumerState.OPENING)) {
      List<WhyStep> steps =
          new WhySteps(
                  "a",
                  new WhySteps.Facts(
                      "gw",
                      List.of(interest(KEY, state, SINCE)),
                      FREE,
                      "connected",
                      "its schema is missing",
                      "",
                      NOW))
              .of(client(0, subscription(KEY, 0, 0)));
      assertThat(firstProblem(steps)).isEqualTo(WhyStep.CONSUMER);
      assertThat(WhyAnswer.of(steps)).contains("the consumer of a ", "its schema is missing");
    }
  }

  private static String firstProblem(List<WhyStep> steps) {
    return steps.stream().filter(WhyStep::isProblem).map(WhyStep::step).findFirst().orElse("none");
  }

  @Test
  void shouldPassAllStepsInOrder() {
    List<WhyStep> steps =
        steps(client(0, subscription(KEY, 0, 0)), FREE, interest(KEY, ConsumerState.ACTIVE, SINCE));
    assertThat(steps).extracting(WhyStep::step).containsExactlyElementsOf(WhyStep.ALL);
    assertThat(WhyAnswer.of(steps))
        .isEqualTo(
            "no problem was found;"
                + " the latest message of a arrived at 1970-01-01T00:00:10Z, 59 s ago");
  }

  @Test
  void shouldNamePermissionBeforeTheMissingSubscription() {
    WhyClient forbidden = new WhyClient("s-1", "", 0, "may not", null, 0, NO_PING, List.of());
    assertThat(WhyAnswer.of(steps(forbidden, FREE))).isEqualTo("permission: may not");
  }

  @Test
  void shouldNameLimitsOnlyForNewTopics() {
    TopicLoad full = new TopicLoad(2, 2);
    assertThat(firstProblem(steps(client(0), full))).isEqualTo("limits");
    TopicFigures open = interest(KEY, ConsumerState.ACTIVE, SINCE);
    assertThat(firstProblem(steps(client(0), full, open))).isEqualTo("interest");
    WhyClient limited = new WhyClient("s-1", "", 0, null, "too many", 0, NO_PING, List.of());
    assertThat(WhyAnswer.of(steps(limited, FREE))).isEqualTo("limits: too many");
  }

  @Test
  void shouldNameTheConsumerThatIsNotActive() {
    WhyClient client = client(0, subscription(KEY, 0, 0));
    assertThat(firstProblem(steps(client, FREE))).isEqualTo("broker-consumer");
    for (ConsumerState state : List.of(ConsumerState.LOST, ConsumerState.OPENING)) {
      assertThat(firstProblem(steps(client, FREE, interest(KEY, state, SINCE))))
          .isEqualTo("broker-consumer");
    }
    WhyClient waiting = client(0, new SubscriptionFigures(KEY, false, 0, false, 0, 0, 0, SINCE));
    assertThat(WhyAnswer.of(steps(waiting, FREE, interest(KEY, ConsumerState.ACTIVE, SINCE))))
        .startsWith("broker-consumer: ")
        .endsWith("the subscription is not confirmed to the client yet");
  }

  @Test
  void shouldNameMessagesThatPrecedeTheSubscription() {
    WhyClient client = client(0, subscription(KEY, 0, 0));
    assertThat(WhyAnswer.of(steps(client, FREE, interest(KEY, ConsumerState.ACTIVE, SINCE - 1))))
        .startsWith("last-message: ")
        .contains("the latest arrived at 1970-01-01T00:00:09.999Z, 60 s ago");
    assertThat(WhyAnswer.of(steps(client, FREE, interest(KEY, ConsumerState.ACTIVE, -1))))
        .startsWith("last-message: ")
        .contains("has received none");
  }

  @Test
  void shouldDecideTheFilterByAnInterestWithoutASelector() {
    WhyClient client = client(0, subscription(SELECTED, 0, 0));
    TopicFigures silent = interest(SELECTED, ConsumerState.ACTIVE, -1);
    TopicFigures others = interest(KEY, ConsumerState.ACTIVE, SINCE);
    assertThat(WhyAnswer.of(steps(client, FREE, silent))).startsWith("not decided, last-message: ");
    assertThat(firstProblem(steps(client, FREE, silent, others))).isEqualTo("filter");
    TopicFigures none = interest(KEY, ConsumerState.ACTIVE, -1);
    assertThat(WhyAnswer.of(steps(client, FREE, silent, none)))
        .startsWith("last-message: no message of a has arrived since the subscription");
    TopicFigures matching = interest(SELECTED, ConsumerState.ACTIVE, SINCE);
    assertThat(firstProblem(steps(client, FREE, matching, others))).isEqualTo("none");
  }

  @Test
  void shouldNotInferATopicFromMessagesOfItsPattern() {
    InterestKey pattern = InterestKey.of(">");
    WhyClient client = client(0, subscription(pattern, 0, 0));
    TopicFigures any = interest(pattern, ConsumerState.ACTIVE, SINCE);
    assertThat(WhyAnswer.of(steps(client, FREE, any)))
        .startsWith("not decided, last-message: messages of > have arrived");
    TopicFigures exact = interest(KEY, ConsumerState.ACTIVE, SINCE);
    assertThat(WhyAnswer.of(steps(client, FREE, any, exact))).startsWith("no problem");
  }

  @Test
  void shouldNameAClientThatIsBehind() {
    TopicFigures interest = interest(KEY, ConsumerState.ACTIVE, SINCE);
    assertThat(firstProblem(steps(client(1, subscription(KEY, 1, 0)), FREE, interest)))
        .isEqualTo("position");
    long normal = SubscriptionSteps.NORMAL_PENDING_BYTES;
    assertThat(firstProblem(steps(client(normal, subscription(KEY, 0, 0)), FREE, interest)))
        .isEqualTo("none");
    assertThat(firstProblem(steps(client(normal + 1, subscription(KEY, 0, 0)), FREE, interest)))
        .isEqualTo("position");
  }

  @Test
  void shouldNameAClientThatDoesNotAnswerPings() {
    TopicFigures interest = interest(KEY, ConsumerState.ACTIVE, SINCE);
    assertThat(WhyAnswer.of(steps(unanswered(SubscriptionSteps.UNANSWERED_MS), FREE, interest)))
        .isEqualTo(
            "position: the client was sent messages up to offset 5, is 0 behind, and has not"
                + " accepted 0 B; it has not answered the ping of 1970-01-01T00:01:04.999Z, 5 s"
                + " ago");
    assertThat(firstProblem(steps(unanswered(SubscriptionSteps.UNANSWERED_MS - 1), FREE, interest)))
        .isEqualTo("none");
  }

  private static WhyClient unanswered(long pingMs) {
    return new WhyClient(
        "s-1", "192.0.2.1", 0, null, null, 0, pingMs, List.of(subscription(KEY, 0, 0)));
  }

  @Test
  void shouldNameAGapWithoutALaterMessage() {
    TopicFigures before = interest(KEY, ConsumerState.ACTIVE, SINCE);
    SubscriptionFigures atGap = new SubscriptionFigures(KEY, true, 5, true, 0, 2, SINCE, SINCE);
    assertThat(WhyAnswer.of(steps(client(0, atGap), FREE, before)))
        .isEqualTo(
            "gaps: 2 gaps were sent to the subscription, the latest at 1970-01-01T00:00:10Z, 59 s"
                + " ago: messages were lost; none has followed");
    SubscriptionFigures later =
        new SubscriptionFigures(KEY, true, 5, false, 0, 1, SINCE + 1_000, SINCE);
    assertThat(firstProblem(steps(client(0, later), FREE, before))).isEqualTo("gaps");
  }

  @Test
  void shouldReportAGapAsPastOnceMessagesHaveFollowed() {
    TopicFigures interest = interest(KEY, ConsumerState.ACTIVE, SINCE + 2_000);
    List<WhyStep> steps = steps(client(0, subscription(KEY, 0, 1)), FREE, interest);
    assertThat(firstProblem(steps)).isEqualTo("none");
    assertThat(WhyAnswer.of(steps))
        .isEqualTo(
            "no problem was found; the latest message of a arrived at 1970-01-01T00:00:12Z, 57 s"
                + " ago; past, gaps: 1 gap was sent to the subscription, the latest at"
                + " 1970-01-01T00:00:10Z, 59 s ago: messages were lost; messages have followed");
  }

  @Test
  void shouldNameASilentTopic() {
    TopicFigures interest = interest(KEY, ConsumerState.ACTIVE, SINCE);
    WhyClient client = client(0, subscription(KEY, 0, 0));
    assertThat(WhyAnswer.of(stepsAt(SINCE + 720_000, client, FREE, interest)))
        .isEqualTo(
            "last-message: no message of a has arrived for 12 min, the latest at"
                + " 1970-01-01T00:00:10Z, 12 min ago");
  }

  @Test
  void shouldNameASlowClientBeforeASilentTopic() {
    TopicFigures interest = interest(KEY, ConsumerState.ACTIVE, SINCE);
    WhyClient behind = client(1, subscription(KEY, 1, 0));
    assertThat(WhyAnswer.of(stepsAt(SINCE + 720_000, behind, FREE, interest)))
        .startsWith("position: ")
        .contains("; last-message: ");
  }

  @Test
  void shouldNameASelectorThatMatchesNoLongerWhileOthersArrive() {
    WhyClient client = client(0, subscription(SELECTED, 0, 0));
    TopicFigures matched = interest(SELECTED, ConsumerState.ACTIVE, SINCE);
    TopicFigures others = interest(KEY, ConsumerState.ACTIVE, SINCE + 720_000);
    assertThat(WhyAnswer.of(stepsAt(SINCE + 720_000, client, FREE, matched, others)))
        .startsWith("filter: the latest message that matches the selector x = 1 arrived at ");
  }

  @Test
  void shouldPreferTheInterestOfExactlyTheTopic() {
    InterestKey pattern = InterestKey.of(">");
    WhyClient client = client(0, subscription(pattern, 0, 0));
    TopicFigures any = interest(pattern, ConsumerState.ACTIVE, SINCE + 720_000);
    TopicFigures exact = interest(KEY, ConsumerState.ACTIVE, SINCE);
    assertThat(WhyAnswer.of(stepsAt(SINCE + 720_000, client, FREE, any, exact)))
        .startsWith("last-message: no message of a has arrived for 12 min");
  }

  @Test
  void shouldNameTheSessionAmongSeveral() {
    TopicFigures interest = interest(KEY, ConsumerState.ACTIVE, SINCE);
    List<WhyStep> steps =
        new ArrayList<>(steps(client(0, subscription(KEY, 0, 0)), FREE, interest));
    assertThat(WhyAnswer.of(steps)).startsWith("no problem");
    WhyClient other = new WhyClient("s-2", "192.0.2.1", 0, null, null, 0, NO_PING, List.of());
    steps.addAll(steps(other, FREE, interest));
    assertThat(WhyAnswer.of(steps)).startsWith("problem in 1 of 2 sessions, s-2: interest: ");
    steps.removeIf(step -> step.session().equals("s-2") && step.isProblem());
    assertThat(WhyAnswer.of(steps)).startsWith("2 sessions: no problem");
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
