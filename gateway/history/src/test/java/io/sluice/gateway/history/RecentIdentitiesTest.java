package io.sluice.gateway.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A search without a free slot never ends, hence each test has a time limit and a thread. */
@Timeout(value = 20, threadMode = ThreadMode.SEPARATE_THREAD)
final class RecentIdentitiesTest {
  @Test
  void shouldContainIdentityUntilEvicted() {
    RecentIdentities recent = new RecentIdentities(3);
    assertThat(recent.add(7)).isTrue();
    assertThat(recent.add(7)).isFalse();
    assertThat(recent.add(8)).isTrue();
    assertThat(recent.add(9)).isTrue();
    assertThat(recent.add(7)).as("still contained").isFalse();
    assertThat(recent.add(10)).isTrue();
    assertThat(recent.add(7)).as("evicted").isTrue();
  }

  @Test
  void shouldAcceptEveryLongAsIdentity() {
    RecentIdentities recent = new RecentIdentities(10);
    for (long identity : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
      assertThat(recent.add(identity)).isTrue();
      assertThat(recent.add(identity)).isFalse();
    }
  }

  @Test
  void shouldRejectLimitOfZero() {
    assertThatIllegalArgumentException().isThrownBy(() -> new RecentIdentities(0));
  }

  /** Few distinct values cause many hash collisions, at sizes around each capacity. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 15, 16, 17, 31, 32, 33, 100, 1000})
  void shouldAgreeWithListForRandomIdentities(int limit) {
    Random random = new Random(limit);
    RecentIdentities recent = new RecentIdentities(limit);
    Deque<Long> latest = new ArrayDeque<>();
    for (int i = 0; i < 20_000; i++) {
      long identity = (long) random.nextInt(2 * limit + 2) << random.nextInt(3) * 5;
      boolean isNew = !latest.contains(identity);
      assertThat(recent.add(identity)).as("limit %d, step %d", limit, i).isEqualTo(isNew);
      if (isNew) {
        latest.add(identity);
      }
      if (latest.size() > limit) {
        latest.remove();
      }
    }
  }
}
