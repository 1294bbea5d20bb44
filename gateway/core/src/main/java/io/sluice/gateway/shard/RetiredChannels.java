package io.sluice.gateway.shard;

import io.sluice.gateway.protocol.Channel;
import java.util.Set;

/** Channels that are not used for new messages. Any thread may call the methods. */
public interface RetiredChannels {
  /** Returns the channels. */
  Set<Channel> channels();

  /** Returns the offset above which no message uses one of the channels. */
  long lastOffset();

  /**
   * Replies for one user.
   *
   * @param confirmed whether the user has no more message for one of the channels
   */
  void answer(TopicUser topic, boolean confirmed);
}
