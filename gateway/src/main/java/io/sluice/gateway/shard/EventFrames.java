package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.history.HubClock;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.ServerFrames;
import java.util.List;

/**
 * The frames of events that many clients of one loop get, each encoded once per batch and lent
 * until its end. Bound to the shard's event loop.
 */
final class EventFrames {
  private final ServerFrames frames;
  private final Batch batch;
  private final HubClock clock;
  private final int mostBytes;

  private ByteBuf state;
  private boolean stateLive;
  private Gap gap;
  private Channels channels;
  private Channel announced;
  private ByteBuf announcement;

  private record Gap(String topic, GapReason reason, long offset, ByteBuf frame) {
    boolean is(String other, GapReason why, long at) {
      return offset == at && reason == why && topic.equals(other);
    }
  }

  /** The frames of some channels of a pattern: those from one index up to another. */
  record Channels(List<Channel> of, int from, int to, ByteBuf frames) {}

  /**
   * @param mostBytes of channel frames that are handed over at once
   */
  EventFrames(ServerFrames frames, Batch batch, HubClock clock, int mostBytes) {
    this.frames = frames;
    this.batch = batch;
    this.clock = clock;
    this.mostBytes = mostBytes;
  }

  /** {@code live} or {@code stale}. */
  ByteBuf brokerState(boolean live) {
    if (state == null || stateLive != live) {
      stateLive = live;
      state = lend(live ? frames.live() : frames.stale());
    }
    return state;
  }

  /**
   * A gap.
   *
   * @param ref that of a tagged subscription, or {@link ClientFrame#NO_REF}
   */
  ByteBuf gap(long ref, String topic, GapReason reason, long offset) {
    if (gap == null || !gap.is(topic, reason, offset)) {
      ByteBuf frame = lend(frames.gap(topic, reason, offset, clock.wallMs()));
      gap = new Gap(topic, reason, offset, frame);
    }
    return ref == ClientFrame.NO_REF ? gap.frame() : lend(frames.gap(gap.frame(), ref));
  }

  ByteBuf channel(Channel channel) {
    if (announced != channel) {
      announcement = lend(frames.channel(channel));
      announced = channel;
    }
    return announcement;
  }

  /** As many channels of a pattern as are handed over at once, one at least. */
  Channels channels(List<Channel> all, int from) {
    boolean known =
        channels != null
            && channels.of() == all
            && channels.from() == from
            && (channels.to() == all.size() || channels.frames().readableBytes() >= mostBytes);
    if (!known) {
      int to = from;
      int bytes = 0;
      while (to < all.size() && bytes < mostBytes) {
        bytes += frames.channelBytes(all.get(to++));
      }
      channels = new Channels(all, from, to, lend(frames.channels(all.subList(from, to), bytes)));
    }
    return channels;
  }

  /** A list of channels has changed other than by an addition. */
  void forgetChannels() {
    channels = null;
  }

  private ByteBuf lend(ByteBuf frame) {
    batch.releaseAtEnd(frame);
    return frame;
  }

  /** The batch has ended; its buffers are gone. */
  void endBatch() {
    state = null;
    gap = null;
    channels = null;
    announced = null;
    announcement = null;
  }
}
