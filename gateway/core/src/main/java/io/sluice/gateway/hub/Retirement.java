package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.shard.RetiredChannels;
import io.sluice.gateway.shard.TopicUser;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Batch of retired channels, and the shards that may still send a message with one of them.
 * Messages in a shard's queue precede the request in it. Only paced subscriptions have messages
 * that the log has discarded.
 *
 * <p>Bound to the interest's sequencer, except for {@link #channels}, {@link #lastOffset} and
 * {@link #answer}.
 */
final class Retirement implements RetiredChannels {
  private final Mailbox sequencer;
  private final Runnable onConfirmed;
  private final Set<Channel> channels;
  private final long lastOffset;

  /** Refusals, one per second, after which shards discard the messages that use the channels. */
  static final int MAX_REFUSALS = 60;

  private int refusals;

  /** Shards that have not confirmed. */
  private final List<TopicUser> awaited = new ArrayList<>();

  /** Shards that have refused and receive the request again. */
  private final List<TopicUser> refused = new ArrayList<>(0);

  /**
   * Creates a retirement without shards.
   *
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

  /** Requests confirmation from shards. */
  void request(Collection<TopicUser> shards) {
    awaited.addAll(shards);
    shards.forEach(this::request);
  }

  /** Repeats the request to the shards that have refused. */
  void requestAgain() {
    refusals += refused.isEmpty() ? 0 : 1;
    refused.forEach(this::request);
    refused.clear();
  }

  private void request(TopicUser topic) {
    topic.channelsRetired(this, refusals >= MAX_REFUSALS);
  }

  @Override
  public void answer(TopicUser topic, boolean confirmed) {
    sequencer.post(() -> onAnswer(topic, confirmed));
  }

  private void onAnswer(TopicUser topic, boolean confirmed) {
    if (!confirmed) {
      refused.add(topic);
    } else if (awaited.remove(topic) && awaited.isEmpty()) {
      onConfirmed.run();
    }
  }

  /** Returns whether all shards have confirmed. */
  boolean isConfirmed() {
    return awaited.isEmpty();
  }
}
