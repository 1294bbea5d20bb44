package io.sluice.gateway.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class SharesTest {
  private static int fill(Shares pool, String user) {
    int taken = 0;
    while (pool.take(user, 1)) {
      taken++;
    }
    return taken;
  }

  @Test
  void shouldLeaveOthersAsMuchAsAUserHas() {
    Shares pool = new Shares(120);
    assertThat(fill(pool, "a")).isEqualTo(60);
    assertThat(fill(pool, "b")).isEqualTo(30);
    assertThat(fill(pool, "c")).isEqualTo(15);
    pool.release("a", 60);
    assertThat(fill(pool, "b")).isPositive();
    assertThat(pool.take("d", 20)).as("a first unit that fits").isTrue();
  }

  @Test
  void shouldCountTheUsersOfAGroupTogether() {
    Shares pool = new Shares(120);
    assertThat(fill(pool, UserKey.of("leaf", "a"))).isEqualTo(40);
    assertThat(fill(pool, UserKey.of("leaf", "b"))).isPositive();
    for (int i = 0; pool.take(UserKey.of("leaf", "invented-" + i), 1); i++) {
      // Each of these users has one unit.
    }
    assertThat(pool.used()).isEqualTo(60);
    assertThat(fill(pool, "a")).isEqualTo(30);
    assertThat(fill(pool, UserKey.of("other", UserKey.of("leaf", "a")))).isPositive();
    assertThat(pool.isFree(UserKey.of("leaf", "c"), 1)).isFalse();
    assertThat(pool.isFree("c", 1)).isTrue();
  }

  @Test
  void shouldGiveTheNodeAllThatIsFree() {
    Shares pool = new Shares(8);
    assertThat(fill(pool, "a")).isEqualTo(4);
    assertThat(fill(pool, Shares.NODE)).isEqualTo(4);
  }

  @Test
  void shouldNotExceedThePool() {
    Shares pool = new Shares(1);
    assertThat(pool.take("a", 1)).isTrue();
    assertThat(pool.take("b", 1)).isFalse();
    pool.release("a", 1);
    assertThat(pool.take("b", 2)).isFalse();
    assertThat(pool.take("b", 1)).isTrue();
  }

  /** Returns the key of one of some users, of whom every other one belongs to a group. */
  private static String key(int user) {
    return user % 2 == 0 ? "u" + user : UserKey.of("group" + user % 3, "u" + user);
  }

  @Test
  void shouldReleaseWhatWasTaken() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Shares pool = new Shares(1000);
    long[] own = new long[10];
    for (int i = 0; i < 10_000; i++) {
      int user = random.nextInt(own.length);
      long units = 1 + random.nextInt(50);
      if (random.nextBoolean()) {
        boolean free = pool.isFree(key(user), units);
        boolean taken = pool.take(key(user), units);
        assertThat(taken).as("seed %s, step %s", seed, i).isEqualTo(free);
        own[user] += taken ? units : 0;
      } else if (own[user] > 0) {
        units = Math.min(units, own[user]);
        pool.release(key(user), units);
        own[user] -= units;
      }
      assertThat(pool.used()).as("seed %d", seed).isLessThanOrEqualTo(1000);
    }
    for (int user = 0; user < own.length; user++) {
      pool.release(key(user), own[user]);
    }
    assertThat(pool.used()).as("seed %d", seed).isZero();
    assertThat(fill(pool, "another")).isEqualTo(500);
  }
}
