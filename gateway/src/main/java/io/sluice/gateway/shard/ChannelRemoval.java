package io.sluice.gateway.shard;

import io.sluice.gateway.protocol.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Removal of retired channels from a shard's list of a pattern's channels, in bounded steps. The
 * list stays as it is until the end. Bound to the shard's event loop.
 */
final class ChannelRemoval {
  /** Channels of a step, which costs about as much as handing a message to a client. */
  private static final int CHANNELS_A_STEP = 16;

  private final List<Channel> all;
  private final Set<Channel> retired;
  private final List<Channel> rest;

  /** Retired channels in front of each index. */
  private final int[] before;

  private int next;

  ChannelRemoval(List<Channel> all, Set<Channel> retired) {
    this.all = all;
    this.retired = retired;
    this.rest = new ArrayList<>(all.size());
    this.before = new int[all.size() + 1];
  }

  /** Does one step; returns whether it was the last. */
  boolean isDoneAfterStep() {
    int end = Math.min(all.size(), next + CHANNELS_A_STEP);
    for (; next < end; next++) {
      Channel channel = all.get(next);
      boolean isRetired = retired.contains(channel);
      before[next + 1] = before[next] + (isRetired ? 1 : 0);
      if (!isRetired) {
        rest.add(channel);
      }
    }
    return next == all.size();
  }

  /** The channels that were not retired. */
  List<Channel> rest() {
    return rest;
  }

  /** Returns the number of retired channels in front of an index of the list. */
  int removedBefore(int index) {
    return before[index];
  }
}
