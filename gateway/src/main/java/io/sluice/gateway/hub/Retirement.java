package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.shard.ShardEvent;
import io.sluice.gateway.shard.ShardTopic;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Retired channels, and the shards that may still send a message with one of them. Messages in a
 * shard's queue precede the question in it. Only subscriptions that are served at their own pace
 * hold messages that the log has discarded.
 *
 * <p>Bound to the interest's sequencer, but for {@link #channels}, {@link #lastOffset} and {@link
 * #answer}.
 */
final class Retirement implements ShardEvent.RetiredChannels {
  private final Mailbox sequencer;
  private final Runnable onConfirmed;
  private final Set<Channel> channels;
  private final long lastOffset;

  /** Refusals, one a second, after which shards discard the messages that keep the channels. */
  static final int MOST_REFUSALS = 60;

  private int refusals;

  /** Shards that have not confirmed, and those of them that have been asked. */
  private final List<ShardTopic> awaited = new ArrayList<>();

  private final List<ShardTopic> toAsk = new ArrayList<>(0);

  /**
   * @param sequencer the interest's mailbox
   * @param onConfirmed called by the sequencer once all shards have confirmed
   * @param lastOffset offset of the log above which no message uses these channels
   */
  Retirement(Mailbox sequencer, Runnable onConfirmed, Set<Channel> channels, long lastOffset) {
    this.sequencer = sequencer;
    this.onConfirmed = onConfirmed;
    this.channels = channels;
    this.lastOffset = lastOffset;
  }

  @Override
  public Set<Channel> channels() {
    return channels;
  }

  @Override
  public long lastOffset() {
    return lastOffset;
  }

  /** Asks shards to confirm. */
  void ask(Collection<ShardTopic> shards) {
    awaited.addAll(shards);
    shards.forEach(this::ask);
  }

  /** Asks those again that have answered that they may still send a message. */
  void askAgain() {
    refusals += toAsk.isEmpty() ? 0 : 1;
    toAsk.forEach(this::ask);
    toAsk.clear();
  }

  private void ask(ShardTopic topic) {
    topic.post(new ShardEvent.Retired(topic, this, refusals >= MOST_REFUSALS));
  }

  @Override
  public void answer(ShardTopic topic, boolean confirmed) {
    sequencer.post(() -> onAnswer(topic, confirmed));
  }

  private void onAnswer(ShardTopic topic, boolean confirmed) {
    if (!confirmed) {
      toAsk.add(topic);
    } else if (awaited.remove(topic) && awaited.isEmpty()) {
      onConfirmed.run();
    }
  }

  boolean isConfirmed() {
    return awaited.isEmpty();
  }
}
