package io.sluice.loadtest.abtest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.loadtest.abtest.BlockSchedule.Slot;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BlockScheduleTest {
  private static final SystemUnderTest A =
      new SystemUnderTest(
          "a",
          Optional.empty(),
          URI.create("ws://127.0.0.1/ws"),
          Optional.empty(),
          Optional.empty());
  private static final SystemUnderTest B = A.named("b");

  @Test
  void shouldContainBothSystemsInEachBlock() {
    List<Slot> slots = BlockSchedule.of(A, B, 20, 1);

    assertThat(slots).hasSize(40);
    for (int block = 1; block <= 20; block++) {
      Slot first = slots.get(2 * block - 2);
      Slot second = slots.get(2 * block - 1);
      assertThat(List.of(first.block(), second.block())).containsOnly(block);
      assertThat(List.of(first.position(), second.position())).containsExactly(1, 2);
      assertThat(List.of(first.system(), second.system())).containsExactlyInAnyOrder(A, B);
    }
  }

  @Test
  void shouldDrawTheOrderFromTheSeed() {
    List<Slot> slots = BlockSchedule.of(A, B, 200, 1);

    assertThat(slots).isEqualTo(BlockSchedule.of(A, B, 200, 1));
    assertThat(slots).isNotEqualTo(BlockSchedule.of(A, B, 200, 2));
    assertThat(slots.stream().filter(slot -> slot.position() == 1 && slot.system() == A).count())
        .isBetween(70L, 130L);
  }
}
