package io.sluice.gateway.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.CompressedFrame;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.MessageEncoder;
import io.sluice.gateway.protocol.MessageForm;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.websocket.Deflation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class FrameCacheTest {
  private static final int BINARY = Encoding.BINARY.ordinal();

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  private final MessageEncoder encoder =
      new MessageEncoder(allocator, new Deflation(new UnpooledByteBufAllocator(false), 6));
  private final Channel channel = new Channel(1, "t", null);
  private final Exposition exposition = new Exposition("cache-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private LogEntry entry(long offset) {
    Message message = new Message("t", 1, 1, PayloadKind.BYTES, new byte[1_000], null);
    return LogEntry.message(message, channel, offset, 1);
  }

  private EncodedMessage encoded(FrameCache cache, LogEntry entry) {
    EncodedMessage frames = new EncodedMessage(entry, cache);
    frames.encode(1 << Encoding.BINARY.ordinal(), null, encoder);
    return frames;
  }

  private long memory() {
    return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
  }

  @Test
  void shouldCacheLatestFramesWithinBudget() {
    FrameCache cache = new FrameCache(10_000, metrics);
    List<LogEntry> entries = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      LogEntry entry = entry(i);
      entries.add(entry);
      encoded(cache, entry).release();
      assertThat(cache.used()).isLessThanOrEqualTo(10_000);
    }
    assertThat(memory()).isEqualTo(cache.used()).isGreaterThan(8_000);
    assertThat(entries.get(0).encoded()).as("link to evicted frames").isNull();
    EncodedMessage latest = entries.get(999).encoded();
    assertThat(latest.tryRetain()).isTrue();
    ByteBuf frame = latest.frame(BINARY, encoder);
    cache.clear();
    assertThat(frame.refCnt()).isEqualTo(1);
    assertThat(latest.tryRetain()).isTrue();
    latest.release();
    latest.release();
    assertThat(latest.tryRetain()).isFalse();
    assertThat(memory()).isZero();
    assertThat(cache.used()).isZero();
  }

  @Test
  void shouldReleaseFramesOfEvictedEntry() {
    FrameCache cache = new FrameCache(1 << 20, metrics);
    LogEntry entry = entry(1);
    encoded(cache, entry).release();
    assertThat(memory()).isPositive();
    entry.uncacheFrames();
    entry.uncacheFrames();
    assertThat(memory()).isZero();
    assertThat(entry.encoded()).isNull();
  }

  @Test
  void shouldCompressNoMessageThatClientsWouldRefuseToInflate() {
    assertThat(isDeflated(CompressedFrame.MAX_INFLATED_BYTES - 1_000)).isTrue();
    assertThat(isDeflated(CompressedFrame.MAX_INFLATED_BYTES + 1)).isFalse();
    assertThat(memory()).isZero();
  }

  private boolean isDeflated(int bytes) {
    Message message = new Message("t", 1, 1, PayloadKind.BYTES, new byte[bytes], null);
    EncodedMessage frames =
        new EncodedMessage(
            LogEntry.message(message, channel, 1, 1), new FrameCache(1 << 20, metrics));
    try {
      ByteBuf frame = frames.frame(MessageForm.framed(true, false).ordinal(), encoder);
      return CompressedFrame.isDeflated(frame);
    } finally {
      frames.release();
    }
  }

  @Test
  void shouldCacheNothingWithoutBudget() {
    FrameCache cache = new FrameCache(0, metrics);
    encoded(cache, entry(1)).release();
    assertThat(memory()).isZero();
  }

  @Test
  void shouldNeverShareReleasedFramesWithAnotherThread() throws InterruptedException {
    FrameCache cache = new FrameCache(5_000, metrics);
    LogEntry[] latest = {entry(0)};
    AtomicBoolean done = new AtomicBoolean();
    List<Throwable> failures = new ArrayList<>();
    Thread reader =
        new Thread(
            () -> {
              try {
                while (!done.get()) {
                  EncodedMessage frames = latest[0].encoded();
                  if (frames != null && frames.tryRetain()) {
                    assertThat(frames.frame(BINARY, encoder).refCnt()).isEqualTo(1);
                    frames.release();
                  }
                }
              } catch (Throwable e) {
                failures.add(e);
              }
            });
    reader.start();
    for (int i = 0; i < 100_000; i++) {
      LogEntry entry = entry(i);
      EncodedMessage frames = encoded(cache, entry);
      latest[0] = entry;
      frames.release();
      if (i % 3 == 0) {
        entry.uncacheFrames();
      }
    }
    done.set(true);
    reader.join();
    cache.clear();
    assertThat(failures).isEmpty();
    assertThat(memory()).isZero();
    assertThat(cache.used()).isZero();
  }
}
