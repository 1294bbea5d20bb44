package io.sluice.gateway.history;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.MessageEncoder;
import io.sluice.gateway.protocol.MessageForm;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Encoded frames of one message, one for each encoding in use, shared by the live fan-out, the
 * replays and the {@link FrameCache}. For any thread that owns a share; the frames are released
 * with the last share.
 */
public final class EncodedMessage {
  public final Logged entry;
  public final Message message;
  public final long offset;

  private final FrameCache cache;
  private final AtomicReferenceArray<ByteBuf> frames =
      new AtomicReferenceArray<>(MessageForm.COUNT);
  private final AtomicInteger owners = new AtomicInteger(1);

  /** Where the cache keeps it; only the cache uses this. */
  volatile long ticket = FrameCache.NOT_KEPT;

  /** The creator is the first owner. */
  public EncodedMessage(Logged entry, FrameCache cache) {
    this.entry = entry;
    this.message = entry.message();
    this.offset = entry.offset();
    this.cache = cache;
  }

  /** A share of an entry's frames, which are encoded now if no thread has them any more. */
  public static EncodedMessage share(
      Logged entry, int form, FrameCache cache, MessageEncoder encoder) {
    EncodedMessage known = entry.encoded();
    if (known != null && known.tryRetain()) {
      return known;
    }
    EncodedMessage made = new EncodedMessage(entry, cache);
    try {
      made.frame(form, encoder);
      made.publish(known);
    } catch (RuntimeException | Error e) {
      made.release();
      throw e;
    }
    return made;
  }

  /**
   * Encodes what is not there yet and lets replays find it. Called once by the creator, before
   * another thread sees it.
   */
  public void encode(int encodings, MessageEncoder encoder) {
    for (int i = 0; i < MessageForm.COUNT; i++) {
      if ((encodings & 1 << i) != 0) {
        frame(i, encoder);
      }
    }
    publish(null);
  }

  /**
   * Hands it to the cache and links it with its entry.
   *
   * @param stale the released frames that the entry is linked with, or null
   */
  void publish(EncodedMessage stale) {
    cache.keep(this);
    if (!entry.link(stale, this)) {
      drop(); // another loop was faster
    }
  }

  /**
   * The frame in one encoding, borrowed until {@link #release}. It is encoded here if this encoding
   * was not in use before.
   */
  public ByteBuf frame(int encoding, MessageEncoder encoder) {
    ByteBuf frame = frames.get(encoding);
    if (frame != null) {
      return frame;
    }
    ByteBuf made = encoder.encode(message, entry.channel(), offset, MessageForm.at(encoding));
    if (frames.compareAndSet(encoding, null, made)) {
      cache.encoded(cost(made));
      return made;
    }
    made.release();
    return frames.get(encoding);
  }

  // A frame that is kept also keeps its message, which may be larger than a deflated frame.
  private int cost(ByteBuf frame) {
    return Math.max(frame.capacity(), message.payload().length);
  }

  /** Adds an owner. */
  public void retain() {
    owners.incrementAndGet();
  }

  /** Takes a share unless the last one was released already. Any thread. */
  boolean tryRetain() {
    int now = owners.get();
    while (now > 0) {
      if (owners.compareAndSet(now, now + 1)) {
        return true;
      }
      now = owners.get();
    }
    return false;
  }

  /** Removes an owner; the last one frees the frames. */
  public void release() {
    if (owners.decrementAndGet() > 0) {
      return;
    }
    entry.link(this, null);
    long freed = 0;
    for (int i = 0; i < MessageForm.COUNT; i++) {
      ByteBuf frame = frames.get(i);
      if (frame != null) {
        freed += cost(frame);
        frame.release();
      }
    }
    cache.released(freed);
  }

  /** Releases the cache's share. Any thread. */
  void drop() {
    cache.drop(this);
  }
}
