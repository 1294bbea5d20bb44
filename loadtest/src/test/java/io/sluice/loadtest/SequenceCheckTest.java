package io.sluice.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SequenceCheckTest {
  private final SequenceCheck check = new SequenceCheck();

  @Test
  void shouldAcceptAnyFirstNumber() {
    feed(1_000_000, 1_000_001, 1_000_002);

    expect(3, 0, 0, 0);
    assertThat(check.isFaultless()).isTrue();
  }

  @Test
  void shouldCountHoles() {
    feed(1, 2, 5, 6, 8);

    expect(5, 3, 0, 0);
    assertThat(check.isFaultless()).isFalse();
  }

  @Test
  void shouldCountDuplicates() {
    feed(1, 2, 2, 1, 3);

    expect(5, 0, 2, 0);
    assertThat(check.isFaultless()).isFalse();
  }

  @Test
  void shouldCountLateNumberAsReordered() {
    feed(1, 6, 3, 2, 5, 4);

    expect(6, 0, 0, 4);
    assertThat(check.isFaultless()).isFalse();
  }

  @Test
  void shouldCountRepeatedLateNumberAsDuplicate() {
    feed(1, 3, 2, 2);

    expect(4, 0, 1, 1);
  }

  @Test
  void shouldCountNumberBeforeFirstAsReordered() {
    feed(5, 4, 6);

    expect(3, 0, 0, 1);
  }

  @Test
  void shouldStayBoundedUnderEndlessLoss() {
    for (long number = 0; number < 1_000_000; number += 2) {
      check.onNumber(number);
    }
    expect(500_000, 499_999, 0, 0);

    feed(1, 999_997);

    expect(500_002, 499_998, 1, 1);
  }

  @Test
  void shouldMatchReferenceModel() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int run = 0; run < 200; run++) {
      compare(shuffledStream(random), "seed " + seed + ", run " + run);
    }
  }

  private static void compare(List<Long> numbers, String as) {
    SequenceCheck check = new SequenceCheck();
    Set<Long> seen = new HashSet<>();
    long first = numbers.get(0);
    long highest = first;
    long duplicates = 0;
    long reordered = 0;
    for (long number : numbers) {
      check.onNumber(number);
      if (!seen.add(number)) {
        duplicates++;
      } else if (number < highest) {
        reordered++;
      }
      highest = Math.max(highest, number);
    }
    assertThat(check.duplicates()).as(as).isEqualTo(duplicates);
    assertThat(check.reordered()).as(as).isEqualTo(reordered);
    assertThat(check.lost()).as(as).isEqualTo(highest - first + 1 - seen.size());
  }

  /** Returns numbers from 0 with losses, duplicates and local reordering; 0 remains the first. */
  private static List<Long> shuffledStream(Random random) {
    List<Long> numbers = new ArrayList<>();
    for (long number = 1; number < 300; number++) {
      int copies = random.nextInt(10) == 0 ? random.nextInt(3) : 1;
      numbers.addAll(Collections.nCopies(copies, number));
    }
    for (int i = 0; i + 5 < numbers.size(); i += 5) {
      Collections.shuffle(numbers.subList(i, i + 5), random);
    }
    numbers.add(0, 0L);
    return numbers;
  }

  private void feed(long... numbers) {
    for (long number : numbers) {
      check.onNumber(number);
    }
  }

  private void expect(long received, long lost, long duplicates, long reordered) {
    assertThat(check.received()).as("received").isEqualTo(received);
    assertThat(check.lost()).as("lost").isEqualTo(lost);
    assertThat(check.duplicates()).as("duplicates").isEqualTo(duplicates);
    assertThat(check.reordered()).as("reordered").isEqualTo(reordered);
  }
}
