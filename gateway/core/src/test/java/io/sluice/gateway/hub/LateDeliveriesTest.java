package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Aggregation of late deliveries. */
final class LateDeliveriesTest {
  private static final int MAX_RECORDS = 3;

  private final ManualExecutor control = new ManualExecutor();
  private final List<List<LateDelivery>> reports = new ArrayList<>();
  private final LateDeliveries late = new LateDeliveries(control, 500, MAX_RECORDS, reports::add);

  private static LateDelivery of(String topic, long id, long sentMs, long deliveredMs) {
    return new LateDelivery(topic, List.of(id), sentMs, deliveredMs, deliveredMs - sentMs);
  }

  @Test
  void shouldReportATopicOncePerInterval() {
    late.add(of("t", 1, 200, 1_000));
    late.add(of("t", 2, 100, 1_500));
    late.add(of("t", 2, 100, 1_600));
    assertThat(reports).isEmpty();
    control.fireTimers();

    assertThat(reports)
        .containsExactly(List.of(new LateDelivery("t", List.of(1L, 2L), 100, 1_600, 1_500)));
    control.fireTimers();
    assertThat(reports).hasSize(1);
  }

  @Test
  void shouldLeaveOutTooManyIdentities() {
    LongStream.rangeClosed(0, LateDelivery.MAX_IDS).forEach(id -> late.add(of("t", id, id, 1_000)));
    control.fireTimers();

    assertThat(reports).containsExactly(List.of(new LateDelivery("t", List.of(), 0, 1_000, 1_000)));
  }

  @Test
  void shouldReportTopicsLessOftenWhenThereAreMany() {
    for (int i = 0; i < 2 * MAX_RECORDS; i++) {
      late.add(of("t." + i, i, i, 1_000));
    }
    control.fireTimers();
    late.add(of("t.0", 9, 9, 1_000));
    control.fireTimers();
    control.fireTimers();

    assertThat(reports).extracting(List::size).containsExactly(3, 3, 1);
  }

  @Test
  void shouldReportAPatternInsteadOfTooManyTopics() {
    for (int i = 0; i < 2 * LateDeliveries.MAX_TOPICS; i++) {
      late.add(of("t." + i, i, 100 + i, 5_000 + i));
    }
    control.fireTimers();

    assertThat(reports).hasSize(1);
    LateDelivery all = reports.get(0).get(0);
    assertThat(all.topic()).isEqualTo(">");
    assertThat(all.ids()).isEmpty();
    assertThat(all.sentMs()).isEqualTo(100);
    assertThat(all.concerns("t.1")).isTrue();
    assertThat(all.concerns("*.x")).isTrue();
  }

  @Test
  void shouldConcernCoveringPatterns() {
    LateDelivery one = of("a.b", 1, 1, 2);
    assertThat(one.concerns("a.b")).isTrue();
    assertThat(one.concerns("a.>")).isTrue();
    assertThat(one.concerns("a.c")).isFalse();
    assertThat(one.concerns("b.*")).isFalse();
  }
}
