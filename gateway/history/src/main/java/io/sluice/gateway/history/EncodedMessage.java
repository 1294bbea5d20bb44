package io.sluice.gateway.history;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.CompressedFrame;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.MessageEncoder;
import io.sluice.gateway.protocol.MessageForm;
import io.sluice.gateway.trace.MessageTrace;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Reference-counted frames of one message, one for each encoding in use. The live fan-out, the
 * replays and the {@link FrameCache} share them. Any thread that owns a reference may call it; the
 * frames are freed with the last reference.
 */
public final class EncodedMessage {
  public final LogEntry entry;
  public final Message message;
  public final long offset;

  /** Trace of the message; null if it is not traced, and for frames of a replay. */
  public final MessageTrace trace;

  private final FrameCache cache;
  private final AtomicReferenceArray<ByteBuf> frames =
      new AtomicReferenceArray<>(MessageForm.COUNT);

  /** Payload bytes in JSON and in binary before the compression; 0 until a frame is encoded. */
  private final int[] plainBytes = new int[2];

  /** Bytes of the frames encoded by {@link #encode}, which do not change afterwards. */
  private int bytes;

  /** Time at which this object of a message that expires was created; otherwise 0. */
  private final long createdMs;

  private final AtomicInteger references = new AtomicInteger(1);

  /** Sequence number of the cache slot. Only the cache uses it. */
  volatile long ticket = FrameCache.NOT_CACHED;

  /** Creates an object without frames. The creator owns the first reference. */
  public EncodedMessage(LogEntry entry, FrameCache cache) {
    this(entry, cache, null);
  }

  /**
   * Creates an object without frames like {@link #EncodedMessage(LogEntry, FrameCache)}.
   *
   * @param trace trace of the message, or null
   */
  public EncodedMessage(LogEntry entry, FrameCache cache, MessageTrace trace) {
    this.trace = trace;
    this.entry = entry;
    this.message = entry.message();
    this.offset = entry.offset();
    this.cache = cache;
    this.createdMs = message.expiresMs() == Message.NO_EXPIRY ? 0 : System.currentTimeMillis();
  }

  // The remaining time has seconds, and only open protocols state it.
  private boolean isOutdated(int form) {
    return createdMs != 0
        && MessageForm.at(form).encoding().isOpen()
        && System.currentTimeMillis() - createdMs >= 1_000;
  }

  /**
   * Returns the frames of an entry with a new reference to them. They are encoded here if all
   * earlier references were released, or if they state an outdated time until the expiry.
   */
  public static EncodedMessage acquire(
      LogEntry entry, LogEntry previous, int form, FrameCache cache, MessageEncoder encoder) {
    EncodedMessage linked = entry.encoded();
    boolean isCurrent = linked != null && !linked.isOutdated(form);
    if (isCurrent && linked.tryRetain()) {
      return linked;
    }
    EncodedMessage created = new EncodedMessage(entry, cache);
    try {
      created.frame(form, previous, encoder);
      created.publish(linked);
    } catch (RuntimeException | Error e) {
      created.release();
      throw e;
    }
    return created;
  }

  /**
   * Encodes the missing frames and makes them available to replays. The creator calls it once,
   * before it shares this object with another thread.
   *
   * @param forms bit set of the ordinals of forms
   * @param previous the previous entry of the log, or null
   */
  public void encode(int forms, LogEntry previous, MessageEncoder encoder) {
    for (int i = 0; i < MessageForm.COUNT; i++) {
      boolean used = (forms & 1 << i) != 0;
      if (used && (!MessageForm.at(i).isNext() || entry.continues(previous))) {
        bytes += cost(frame(i, previous, encoder));
      }
    }
    publish(null);
  }

  /**
   * Adds this object to the cache and links it with its entry.
   *
   * @param stale the released or outdated frames that the entry is linked with, or null
   */
  void publish(EncodedMessage stale) {
    cache.add(this);
    if (!entry.link(stale, this)) {
      uncache(); // another event loop linked its frames first
    }
  }

  /**
   * Returns the frame in one form, borrowed until {@link #release}. The frame is encoded here if
   * this form was not in use before.
   */
  public ByteBuf frame(int form, MessageEncoder encoder) {
    return frame(form, null, encoder);
  }

  /**
   * Returns the frame in one form like {@link #frame(int, MessageEncoder)}.
   *
   * @param previous the previous entry of the log, which this one {@linkplain LogEntry#continues
   *     continues} if the form needs it
   */
  public ByteBuf frame(int form, LogEntry previous, MessageEncoder encoder) {
    ByteBuf frame = frames.get(form);
    if (frame != null) {
      return frame;
    }
    MessageForm named = MessageForm.at(form);
    if (named.isSeed()) {
      ByteBuf other = frame(named.encoding().ordinal(), encoder);
      if (WebSocketFrame.isDeflated(other)) {
        return other; // a large message, for which both forms are the same
      }
    }
    return named.isFramed() ? framed(named, previous, encoder) : encode(named, previous, encoder);
  }

  private ByteBuf framed(MessageForm form, LogEntry previous, MessageEncoder encoder) {
    boolean binary = form.encoding().isBinary();
    ByteBuf content = frame(form.content().ordinal(), previous, encoder);
    if (plainBytes(binary) > CompressedFrame.MAX_INFLATED_BYTES) {
      content = frame(Encoding.of(binary, false).ordinal(), encoder);
    }
    return store(form, encoder.encodeFramed(content, form, entry.channel().stream()));
  }

  private ByteBuf encode(MessageForm form, LogEntry previous, MessageEncoder encoder) {
    boolean binary = form.encoding().isBinary();
    ByteBuf encoded =
        form.isNext()
            ? encoder.encodeNext(
                previous.message(), previous.channel(), message, entry.channel(), offset, binary)
            : encoder.encode(message, entry.channel(), offset, form);
    if (!form.encoding().isOpen()) {
      plainBytes[binary ? 1 : 0] = encoder.plainBytes(); // published with the frame
    }
    return store(form, encoded);
  }

  private ByteBuf store(MessageForm form, ByteBuf encoded) {
    if (frames.compareAndSet(form.ordinal(), null, encoded)) {
      cache.onEncoded(cost(encoded));
      return encoded;
    }
    encoded.release();
    return frames.get(form.ordinal());
  }

  /** Returns the bytes of the frames encoded by {@link #encode}, at least those of the payload. */
  public int bytes() {
    return Math.max(bytes, message.payload().length);
  }

  /** Returns the payload bytes of an encoded frame before its compression. */
  public int plainBytes(boolean binary) {
    return plainBytes[binary ? 1 : 0];
  }

  // A cached frame also retains its message, which may be larger than a deflated frame.
  private int cost(ByteBuf frame) {
    return Math.max(frame.capacity(), message.payload().length);
  }

  /** Adds a reference. The caller must own one. */
  public void retain() {
    references.incrementAndGet();
  }

  /** Adds a reference unless the last one was already released. Any thread may call it. */
  boolean tryRetain() {
    int now = references.get();
    while (now > 0) {
      if (references.compareAndSet(now, now + 1)) {
        return true;
      }
      now = references.get();
    }
    return false;
  }

  /** Releases a reference. The last release frees the frames. */
  public void release() {
    if (references.decrementAndGet() > 0) {
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
    cache.onReleased(freed);
  }

  /** Removes this object from the cache, which releases its reference. Any thread may call it. */
  void uncache() {
    cache.remove(this);
  }
}
