package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.Broker;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class DiscardedNumbersTest {
  private final DiscardedNumbers discarded = new DiscardedNumbers();

  private List<Boolean> arrivals(long... numbers) {
    List<Boolean> missed = new ArrayList<>();
    for (long number : numbers) {
      missed.add(discarded.onArrival(number));
    }
    return missed;
  }

  @Test
  void shouldFindEachPlaceOfSeveralDiscards() {
    discarded.add(10);
    discarded.add(20);
    discarded.add(22);

    assertThat(arrivals(5, 15, 17, 25, 30)).containsExactly(false, true, false, true, false);
  }

  @Test
  void shouldFindThePlaceAmongMessagesOfALowerPriority() {
    discarded.add(20);

    assertThat(arrivals(30, 12, 22, 24)).containsExactly(true, false, true, false);
  }

  @Test
  void shouldIgnoreTheOrderOfReports() {
    discarded.add(20);
    assertThat(arrivals(15)).containsExactly(false);
    discarded.add(12);
    assertThat(arrivals(25)).containsExactly(true);
  }

  @Test
  void shouldPrecedeTheNextMessageIfTheNumberIsUnknown() {
    discarded.add(Broker.NO_SEQUENCE);

    assertThat(arrivals(5, 6)).containsExactly(true, false);
    assertThat(arrivals(Broker.NO_SEQUENCE)).containsExactly(false);
  }

  @Test
  void shouldFindEachPlaceAlsoAboveTheMaximumOfRanges() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    TreeSet<Long> reported = new TreeSet<>();
    List<Long> delivered = new ArrayList<>();
    for (long number = 0; number < 8L * DiscardedNumbers.MAX_RANGES; number++) {
      if (random.nextInt(3) == 0) {
        delivered.add(number);
      } else {
        reported.add(number);
      }
    }
    List<Long> reports = new ArrayList<>(reported);
    Collections.shuffle(reports, random);
    reports.forEach(discarded::add);

    long previous = -1;
    for (long number : delivered) {
      boolean missed = discarded.onArrival(number);
      if (!reported.subSet(previous + 1, number).isEmpty()) {
        assertThat(missed).as("seed %d, between %d and %d", seed, previous, number).isTrue();
      }
      previous = number;
    }
  }
}
