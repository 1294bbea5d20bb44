package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RecentIdentitiesTest {
  private static final int MOST = 64;

  @Test
  void shouldKnowTheLatestAndNoOthers() {
    for (long spread : new long[] {20, 100, 300, Long.MAX_VALUE}) {
      Random random = new Random(spread);
      RecentIdentities recent = new RecentIdentities(MOST);
      Set<Long> model = new LinkedHashSet<>();
      for (int i = 0; i < 20_000; i++) {
        // Multiples of the table's size meet at one home.
        long identity = random.nextLong(spread) * (i % 2 == 0 ? 1 : 128);
        assertThat(recent.contains(identity)).isEqualTo(model.contains(identity));
        assertThat(recent.add(identity)).isEqualTo(model.add(identity));
        if (model.size() > MOST) {
          model.remove(model.iterator().next());
        }
      }
      assertThat(model).allMatch(recent::contains);
    }
  }

  @Test
  void shouldRefuseASizeThatIsNoPowerOfTwo() {
    assertThatThrownBy(() -> new RecentIdentities(100)).hasMessageContaining("100");
  }
}
