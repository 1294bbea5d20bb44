package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.history.HubClock;
import io.sluice.gateway.protocol.BegunStream;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.ServerFrames;
import java.util.ArrayList;
import java.util.List;

/**
 * Cache of the frames of events for many clients of one event loop. Each frame is encoded once per
 * batch and borrowed until its end. Bound to the shard's event loop.
 */
final class EventFrames {
  private final ServerFrames frames;
  private final FlushBatch batch;
  private final HubClock clock;
  private final int maxBytes;

  private ByteBuf state;
  private int lostSources;
  private Gap gap;
  private ByteBuf gapFrame;
  private Channels channels;
  private Channel announced;
  private ByteBuf announcement;

  private record Gap(String topic, GapReason reason, long offset, BegunStream begun) {}

  /** Frames of a pattern's channels from one index to another. */
  record Channels(List<Channel> of, int from, int to, ByteBuf frames) {}

  /**
   * Creates an empty cache.
   *
   * @param maxBytes maximum bytes of channel frames sent at once
   */
  EventFrames(ServerFrames frames, FlushBatch batch, HubClock clock, int maxBytes) {
    this.frames = frames;
    this.batch = batch;
    this.clock = clock;
    this.maxBytes = maxBytes;
  }

  /**
   * Returns the frame {@code live} or {@code stale}.
   *
   * @param lost bit set of the lost sources
   * @param sources all sources; a frame names the lost ones unless all are lost
   */
  ByteBuf state(int lost, List<ShardSource> sources) {
    if (state == null || lostSources != lost) {
      lostSources = lost;
      state = borrowed(lost == 0 ? frames.live() : frames.stale(names(lost, sources)));
    }
    return state;
  }

  private static List<String> names(int lost, List<ShardSource> sources) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < sources.size(); i++) {
      if ((lost & 1 << i) != 0) {
        names.add(sources.get(i).name());
      }
    }
    return names.size() == sources.size() ? List.of() : names;
  }

  /**
   * Returns the frame of a gap.
   *
   * @param ref ref of a tagged subscription, or {@link ClientFrame#NO_REF}
   * @param begun stream that begins at the gap, or null
   */
  ByteBuf gap(long ref, String topic, GapReason reason, long offset, BegunStream begun) {
    Gap wanted = new Gap(topic, reason, offset, begun);
    if (!wanted.equals(gap)) {
      gapFrame = borrowed(frames.gap(topic, reason, offset, clock.wallMs(), begun));
      gap = wanted;
    }
    return ref == ClientFrame.NO_REF ? gapFrame : borrowed(frames.gap(gapFrame, ref));
  }

  /** Returns the frame of one channel. */
  ByteBuf channel(Channel channel) {
    if (announced != channel) {
      announcement = borrowed(frames.channel(channel));
      announced = channel;
    }
    return announcement;
  }

  /** Returns the frames of as many channels as are sent at once, at least of one. */
  Channels channels(List<Channel> all, int from) {
    boolean isCached =
        channels != null
            && channels.of() == all
            && channels.from() == from
            && (channels.to() == all.size() || channels.frames().readableBytes() >= maxBytes);
    if (!isCached) {
      int to = from;
      int bytes = 0;
      while (to < all.size() && bytes < maxBytes) {
        bytes += frames.channelBytes(all.get(to++));
      }
      channels =
          new Channels(all, from, to, borrowed(frames.channels(all.subList(from, to), bytes)));
    }
    return channels;
  }

  /** Invalidates the frames of channels after a list has changed other than by an addition. */
  void invalidateChannels() {
    channels = null;
  }

  private ByteBuf borrowed(ByteBuf frame) {
    batch.releaseAtEnd(frame);
    return frame;
  }

  /** Clears the cache at the end of the batch, because its buffers are released. */
  void endBatch() {
    state = null;
    gap = null;
    channels = null;
    announced = null;
    announcement = null;
  }
}
