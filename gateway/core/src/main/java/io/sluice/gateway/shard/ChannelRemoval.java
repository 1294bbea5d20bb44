package io.sluice.gateway.shard;

import io.sluice.gateway.protocol.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Removal of retired channels from a shard's list of a pattern's channels, in bounded steps. The
 * list does not change before the last step. Bound to the shard's event loop.
 */
final class ChannelRemoval {
  /** Number of channels per step. A step costs about as much as one delivery to a client. */
  private static final int CHANNELS_PER_STEP = 16;

  private final List<Channel> all;
  private final Set<Channel> retired;
  private final List<Channel> rest;

  /** Number of retired channels before each index. */
  private final int[] before;

  private int next;

  ChannelRemoval(List<Channel> all, Set<Channel> retired) {
    this.all = all;
    this.retired = retired;
    this.rest = new ArrayList<>(all.size());
    this.before = new int[all.size() + 1];
  }

  /** Executes one step; returns whether it was the last. */
  boolean isDoneAfterStep() {
    int end = Math.min(all.size(), next + CHANNELS_PER_STEP);
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

  /** Returns the remaining channels. */
  List<Channel> rest() {
    return rest;
  }

  /** Returns the number of retired channels before an index of the list. */
  int removedBefore(int index) {
    return before[index];
  }
}
