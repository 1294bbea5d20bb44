package io.sluice.gateway.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.protocol.Channel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Removal of retired channels from a shard's list. */
final class ChannelRemovalTest {
  private static final int CHANNELS = 100_000;

  @Test
  void shouldRemoveManyChannelsInBoundedSteps() {
    List<Channel> all = new ArrayList<>();
    Set<Channel> retired = new HashSet<>();
    for (int i = 0; i < CHANNELS; i++) {
      Channel channel = new Channel(i, "orders." + i, "orders.>");
      all.add(channel);
      if (i % 8 == 0) {
        retired.add(channel);
      }
    }
    ChannelRemoval removal = new ChannelRemoval(all, retired);
    int steps = 1;
    while (!removal.isDoneAfterStep()) {
      steps++;
    }
    assertThat(steps).isGreaterThan(CHANNELS / 32);
    assertThat(all).as("unchanged between the steps").hasSize(CHANNELS);
    assertThat(removal.rest()).hasSize(CHANNELS - CHANNELS / 8).doesNotContain(all.get(8));
    assertThat(removal.removedBefore(0)).isZero();
    assertThat(removal.removedBefore(9)).isEqualTo(2);
    assertThat(removal.removedBefore(CHANNELS)).isEqualTo(CHANNELS / 8);
  }
}
