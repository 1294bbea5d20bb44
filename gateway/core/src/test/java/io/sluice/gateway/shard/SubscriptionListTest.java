package io.sluice.gateway.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Order and memory of a list of subscriptions. */
final class SubscriptionListTest {
  private static final int SUBSCRIPTIONS = 10_000;
  private static final int REMAINING = 10;

  private final SubscriptionList list = new SubscriptionList();
  private final List<SubscriptionState> all = new ArrayList<>();

  @Test
  void shouldShrinkAfterMostSubscriptionsEnd() {
    fill();
    assertThat(list.members.length).isGreaterThanOrEqualTo(SUBSCRIPTIONS);
    removeMost(1);
    assertThat(list.members.length).isLessThan(4 * (REMAINING + 1));
    for (SubscriptionState rest : all) {
      assertThat(list.members[rest.index]).isSameAs(rest);
    }
  }

  @Test
  void shouldNotifyTheRemainingSubscriptionsWhileItShrinks() {
    fill();
    list.beginNotice();
    List<SubscriptionState> notified = new ArrayList<>();
    for (int i = 0; i < SUBSCRIPTIONS / 2; i++) {
      notified.add(list.nextToNotify());
    }
    removeMost(2);
    while (!list.isNoticeComplete()) {
      notified.add(list.nextToNotify());
    }
    assertThat(notified).doesNotHaveDuplicates().containsAll(all);
  }

  @Test
  void shouldKeepItsCapacityWhileOneSubscriptionEndsAndBegins() {
    fill();
    removeMost(3);
    SubscriptionState[] before = list.members;
    for (int i = 0; i < SUBSCRIPTIONS; i++) {
      SubscriptionState last = all.get(all.size() - 1);
      list.remove(last);
      list.add(last);
    }
    assertThat(list.members).isSameAs(before);
  }

  private void fill() {
    for (int i = 0; i < SUBSCRIPTIONS; i++) {
      SubscriptionState added = new SubscriptionState(null, null, i, false, null, null, 0);
      all.add(added);
      list.add(added);
    }
  }

  private void removeMost(long seed) {
    Random random = new Random(seed);
    while (all.size() > REMAINING) {
      list.remove(all.remove(random.nextInt(all.size())));
    }
  }
}
