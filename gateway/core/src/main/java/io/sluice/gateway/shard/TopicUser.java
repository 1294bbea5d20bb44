package io.sluice.gateway.shard;

import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.history.EncodedMessage;
import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import java.util.List;

/**
 * User of an interest: the subscribers of one event loop, or another node. It receives the events
 * of the interest in order, between {@link HubShard.Upstream#attach} and {@link
 * HubShard.Upstream#detach}. The interest's sequencer calls it, except where a method states
 * otherwise; no method blocks.
 */
public interface TopicUser {
  /** Returns the key of the interest. Any thread. */
  InterestKey key();

  /** Returns the key of the client's user who subscribed first; empty for a node. Any thread. */
  String user();

  /** Returns the {@link io.sluice.gateway.protocol.MessageForm}s in use, as a bit set. */
  int encodings();

  /** Returns the number of subscriptions. Any thread. */
  int subscriptions();

  /**
   * The consumer is active; the messages after {@code offset} follow.
   *
   * @param epoch epoch of the log
   * @param place that of this offset, if the source has offsets; otherwise null
   * @param own channel of a topic; null for a pattern
   * @param channels known channels of a pattern
   * @param stream number of the stream in compressed frames
   * @param losses number of losses of the source before the activation
   */
  void attached(
      TopicLog log,
      long epoch,
      long offset,
      StreamPlace place,
      Channel own,
      List<Channel> channels,
      int stream,
      int losses);

  /**
   * Another stream of the source begins after a gap; its messages follow.
   *
   * @param offset offset of the gap
   */
  void streamBegun(long epoch, StreamPlace start, long offset);

  /**
   * The consumer is active again after an outage.
   *
   * @param offset offset at which messages may be missing, or -1
   * @param losses number of losses of the source before the reactivation
   */
  void restored(long offset, int losses);

  /** The broker or the node refuses the topic. Any thread. */
  void refused(ErrorCode code, String reason);

  /** A pattern has another concrete topic. */
  void channelAdded(Channel channel);

  /**
   * Channels of a pattern are retired; the user must confirm that it has no message for them.
   *
   * @param discards whether the user discards such messages and reports a gap
   */
  void channelsRetired(RetiredChannels retired, boolean discards);

  /**
   * Later proofs of delivery are valid up to a time only, or {@link Long#MAX_VALUE} without a
   * limit. Control thread.
   */
  void proofLimited(long limitMs);

  /**
   * Messages were read back from the source.
   *
   * @param messages those after a place up to the preceding event, or null if that has failed
   * @param refuted whether the source does not have a message that a client has received
   */
  void readBack(StreamPlace after, List<LogEntry> messages, boolean refuted);

  /** Offers a message; its reference is valid during the call. */
  void offer(EncodedMessage message);

  /** Returns whether the messages that follow have to wait, because too many are queued. */
  default boolean isFull() {
    return false;
  }

  /**
   * Runs a task on any thread once it is no longer full, perhaps before this method returns.
   *
   * @return false if it is not full: then the task does not run
   */
  default boolean whenReady(Runnable task) {
    return false;
  }

  /**
   * Offers a gap. One gap covers all losses until it is reported, so that a user queues at most
   * one. A later loss requires another gap, because a client may have subscribed in between.
   */
  void offerGap(GapReason reason, long offset);

  /** Closes the last gap, so that a later loss is a separate gap. */
  void closeGap();
}
