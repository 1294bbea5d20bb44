package io.sluice.gateway.websocket;

import static io.sluice.gateway.websocket.CloseCode.INVALID_DATA;
import static io.sluice.gateway.websocket.CloseCode.PROTOCOL_ERROR;
import static io.sluice.gateway.websocket.CloseCode.TOO_BIG;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Decoder of one client's WebSocket frames into complete messages: RFC 6455 and, if negotiated,
 * permessage-deflate of RFC 7692 without context takeover. Bound to the connection's event loop.
 *
 * <p>A frame received in one read is delivered in place, without copy or allocation. A partial
 * frame is unmasked, checked and buffered as it is received. The buffer grows with the received
 * bytes, not with the length in a header. Between messages an instance has no buffer.
 */
public final class FrameDecoder {
  /**
   * Receiver of decoded frames. It may call {@link #stop}, not {@link #read}.
   *
   * <p>Payloads are borrowed for the call. The sink may move their indices. It must copy bytes that
   * it stores, because the next read overwrites them. If a sink retains a payload, the decoder
   * fails, which closes the connection.
   */
  public interface Sink {
    void onText(ByteBuf payload);

    void onBinary(ByteBuf payload);

    void onPing(ByteBuf payload);

    void onPong(ByteBuf payload);

    /** Called with the client's close frame, last; the code is 1005 if the frame has none. */
    void onClose(int code, String reason);

    /** Called when the client violates the protocol, last. */
    void onViolation(CloseCode code, String why);
  }

  /**
   * Size limits.
   *
   * @param maxFrameBytes maximum payload of one frame, as transmitted
   * @param maxMessageBytes maximum length of one message, defragmented and inflated
   */
  public record Limits(int maxFrameBytes, int maxMessageBytes) {
    private static final int MAX = 1 << 30;

    public Limits {
      boolean min = maxFrameBytes >= WebSocketFrame.MAX_CONTROL_PAYLOAD && maxMessageBytes >= 1;
      if (!min || maxFrameBytes > MAX || maxMessageBytes > MAX) {
        throw new IllegalArgumentException(
            "limits of %d B per frame and %d B per message are not within %d and 1 to %d B"
                .formatted(
                    maxFrameBytes, maxMessageBytes, WebSocketFrame.MAX_CONTROL_PAYLOAD, MAX));
      }
    }
  }

  private static final int MIN_BUFFER_BYTES = 256;

  /** Cost of a message, a ping or a pong for the frame rate limit. */
  public static final int MILLI_FRAME = 1000;

  /**
   * Cost of each further fragment of a message for the frame rate limit; 62 cost as much as a
   * message.
   *
   * <p>A fragment takes 0.1 to 0.3 µs, a message 3 µs and more. Clients may send large messages in
   * small fragments, so a fragment costs less than a message. It costs more than nothing, because
   * the size limits do not bound the rate of small fragments. At 1,000 frames per second, fragments
   * take at most 2 % of an event loop.
   */
  public static final int MILLI_FRAMES_PER_FRAGMENT = 16;

  private final Limits limits;
  private final Inflation inflation;
  private final Sink sink;

  private ByteBuf pending; // of a partial header or control frame
  private ByteBuf message; // of a partial message, unmasked, possibly deflated
  private int mask; // of the current frame, rotated to the next payload byte
  private int missing; // payload bytes of the current frame that are not received
  private byte frame; // first byte of the current frame
  private byte opening; // first byte of the current message, 0 between messages
  private byte utf8; // state of the current text
  private int milliFrames; // begun since the last takeMilliFrames
  private int empty; // fragments of the current message without payload
  private boolean inPayload;
  private boolean stopped;

  /**
   * @param inflation the event loop's, or null if no compression was negotiated
   */
  public FrameDecoder(Limits limits, Inflation inflation, Sink sink) {
    this.limits = limits;
    this.inflation = inflation;
    this.sink = sink;
  }

  /**
   * Decodes all of {@code in}, which the caller releases. Frames are unmasked in place, which
   * overwrites its bytes. A read-only buffer is copied first.
   */
  public void read(ByteBuf in) {
    if (in.isReadOnly()) {
      readCopy(in);
      return;
    }
    while (!stopped && in.isReadable()) {
      if (inPayload || readHeader(in)) {
        readPayload(in);
      }
    }
    in.skipBytes(in.readableBytes());
  }

  /** Returns the cost of the frames begun since the last call, in thousandths of a frame. */
  public int takeMilliFrames() {
    int taken = milliFrames;
    milliFrames = 0;
    return taken;
  }

  private void readCopy(ByteBuf in) {
    ByteBuf copy = in.alloc().buffer(in.readableBytes());
    try {
      read(copy.writeBytes(in));
    } finally {
      copy.release();
    }
  }

  /**
   * Ends the decoder, also from within a call to the sink. Releases the buffers of partial frames;
   * later bytes are skipped.
   */
  public void stop() {
    stopped = true;
    pending = released(pending);
    message = released(message);
  }

  private static ByteBuf released(ByteBuf buffer) {
    if (buffer != null) {
      buffer.release();
    }
    return null;
  }

  /** Reads a header. Returns false if it is incomplete or invalid. */
  private boolean readHeader(ByteBuf in) {
    if (pending == null) {
      if (parseHeader(in)) {
        return true;
      }
      if (stopped) {
        return false;
      }
      pending = in.alloc().buffer(FrameHeader.MAX_BYTES, FrameHeader.MAX_BYTES);
    }
    return readHeaderByByte(in);
  }

  private boolean readHeaderByByte(ByteBuf in) {
    while (!stopped && in.isReadable()) {
      pending.writeByte(in.readByte());
      if (parseHeader(pending)) {
        pending = released(pending);
        return true;
      }
    }
    return false;
  }

  // Each part is checked when it is received, before the rest of the header.
  private boolean parseHeader(ByteBuf from) {
    int available = from.readableBytes();
    int start = from.readerIndex();
    if (available < 2 || !acceptsStart(from.getByte(start), from.getByte(start + 1))) {
      return false;
    }
    int maskOffset = FrameHeader.bytesBeforeMask(from.getByte(start + 1));
    if (available < maskOffset || !acceptsLength(from, start)) {
      return false;
    }
    if (available < maskOffset + FrameHeader.MASK_BYTES) {
      return false;
    }
    int length = (int) FrameHeader.length(from, start);
    begin(from.getByte(start), length, from.getInt(start + maskOffset));
    from.skipBytes(maskOffset + FrameHeader.MASK_BYTES);
    return true;
  }

  private void begin(byte first, int length, int maskOfFrame) {
    boolean fragment = !FrameHeader.isControl(first) && !FrameHeader.opensMessage(first);
    milliFrames += fragment ? MILLI_FRAMES_PER_FRAGMENT : MILLI_FRAME;
    frame = first;
    missing = length;
    mask = maskOfFrame;
    inPayload = true;
    if (FrameHeader.opensMessage(first)) {
      opening = first;
      utf8 = Utf8Check.BOUNDARY;
      empty = 0;
    }
    if (length == 0 && !FrameHeader.isControl(first)) {
      empty++;
    }
  }

  private boolean acceptsStart(byte first, byte second) {
    String fault = FrameHeader.faultOfStart(first, second, opening != 0, inflation != null);
    return fault == null || violation(PROTOCOL_ERROR, fault);
  }

  private boolean acceptsLength(ByteBuf from, int start) {
    byte first = from.getByte(start);
    long length = FrameHeader.length(from, start);
    String fault = FrameHeader.faultOfLength(from.getByte(start + 1), length);
    if (fault != null) {
      return violation(PROTOCOL_ERROR, fault);
    }
    if (FrameHeader.isControl(first)) {
      return true;
    }
    if (length > limits.maxFrameBytes()) {
      return violation(TOO_BIG, "frame is longer than " + limits.maxFrameBytes() + " bytes");
    }
    return acceptsMessageLength(opening == 0 ? first : opening, length);
  }

  private boolean acceptsMessageLength(byte firstOfMessage, long length) {
    long max = FrameHeader.isDeflated(firstOfMessage) ? maxDeflated() : limits.maxMessageBytes();
    long buffered = message == null ? 0 : message.readableBytes();
    // Empty fragments add nothing to the size, so they are bounded by their number.
    boolean tooMany = opening != 0 && empty > max;
    return !tooMany && buffered + length <= max || violation(TOO_BIG, messageTooBig());
  }

  // Incompressible content grows by a few bytes per block, and may be as large as the limit.
  private long maxDeflated() {
    long plain = limits.maxMessageBytes();
    return plain + plain / 512 + 64;
  }

  private String messageTooBig() {
    return "message is longer than " + limits.maxMessageBytes() + " bytes";
  }

  private void readPayload(ByteBuf in) {
    int count = Math.min(missing, in.readableBytes());
    Masking.apply(in, in.readerIndex(), count, mask);
    mask = Masking.advance(mask, count);
    missing -= count;
    inPayload = missing > 0;
    if (FrameHeader.isControl(frame)) {
      readControl(in, count);
    } else {
      readData(in, count);
    }
  }

  private void readControl(ByteBuf in, int count) {
    if (pending == null && !inPayload) {
      deliverInPlace(in, count);
      return;
    }
    if (pending == null) {
      pending = in.alloc().buffer(count + missing, count + missing);
    }
    pending.writeBytes(in, count);
    if (!inPayload) {
      ByteBuf complete = pending;
      pending = null;
      deliverOwned(complete);
    }
  }

  private void readData(ByteBuf in, int count) {
    if (isPlainText()) {
      utf8 = Utf8Check.advance(utf8, in, in.readerIndex(), count);
      if (utf8 == Utf8Check.INVALID) {
        violation(INVALID_DATA, "text is not UTF-8");
        return;
      }
    }
    boolean last = !inPayload && FrameHeader.isLast(frame);
    if (last && message == null) {
      deliverInPlace(in, count);
      return;
    }
    buffer(in, count);
    if (last) {
      ByteBuf complete = message;
      message = null;
      deliverOwned(complete);
    }
  }

  private boolean isPlainText() {
    return FrameHeader.isText(opening) && !FrameHeader.isDeflated(opening);
  }

  private void buffer(ByteBuf in, int count) {
    if (count == 0) {
      return;
    }
    if (message == null) {
      message = in.alloc().buffer(Math.max(count, MIN_BUFFER_BYTES));
    } else if (message.writableBytes() < count) {
      long needed = (long) message.readableBytes() + count;
      long doubled = Math.min(2L * message.capacity(), maxDeflated());
      message.capacity((int) Math.max(needed, doubled));
    }
    message.writeBytes(in, count);
  }

  // Delivers the reader's own buffer, narrowed to the payload: a slice would be an object.
  private void deliverInPlace(ByteBuf in, int count) {
    int next = in.readerIndex() + count;
    int end = in.writerIndex();
    in.writerIndex(next);
    try {
      deliver(in);
    } finally {
      in.setIndex(next, end);
    }
  }

  private void deliverOwned(ByteBuf complete) {
    try {
      deliver(complete);
    } finally {
      complete.release();
    }
  }

  private void deliver(ByteBuf payload) {
    int references = payload.refCnt();
    dispatch(payload);
    checkNotRetained(payload, references);
  }

  private static void checkNotRetained(ByteBuf payload, int references) {
    if (payload.refCnt() > references) {
      throw new IllegalStateException(
          "a sink retained a payload that it borrows for the call only");
    }
  }

  private void dispatch(ByteBuf payload) {
    switch (FrameHeader.opcode(frame)) {
      case WebSocketFrame.CLOSE -> deliverClose(payload);
      case WebSocketFrame.PING -> sink.onPing(payload);
      case WebSocketFrame.PONG -> sink.onPong(payload);
      default -> deliverMessage(payload);
    }
  }

  private void deliverMessage(ByteBuf payload) {
    byte first = opening;
    opening = 0;
    if (FrameHeader.isDeflated(first)) {
      inflate(first, payload);
    } else if (utf8 == Utf8Check.BOUNDARY) {
      deliverContent(first, payload);
    } else {
      violation(INVALID_DATA, "text ends inside a character");
    }
  }

  private void inflate(byte first, ByteBuf compressed) {
    long guess = Math.min(4L * compressed.readableBytes(), limits.maxMessageBytes() + 1L);
    ByteBuf content = compressed.alloc().buffer((int) Math.min(guess, Integer.MAX_VALUE));
    try {
      switch (inflation.inflate(compressed, content, limits.maxMessageBytes())) {
        case DONE -> {
          deliverInflated(first, content);
          checkNotRetained(content, 1);
        }
        case TOO_BIG -> violation(TOO_BIG, messageTooBig());
        case CORRUPT -> violation(INVALID_DATA, "message does not inflate");
      }
    } finally {
      content.release();
    }
  }

  private void deliverInflated(byte first, ByteBuf content) {
    boolean text = FrameHeader.isText(first);
    if (text && !Utf8Check.isText(content, content.readerIndex(), content.readableBytes())) {
      violation(INVALID_DATA, "text is not UTF-8");
    } else {
      deliverContent(first, content);
    }
  }

  private void deliverContent(byte first, ByteBuf content) {
    if (FrameHeader.isText(first)) {
      sink.onText(content);
    } else {
      sink.onBinary(content);
    }
  }

  private void deliverClose(ByteBuf payload) {
    int length = payload.readableBytes();
    if (length == 0) {
      close(CloseStatus.NONE, "");
    } else if (length == 1) {
      violation(PROTOCOL_ERROR, "close frame has half a code");
    } else {
      deliverClose(payload.readUnsignedShort(), payload);
    }
  }

  private void deliverClose(int code, ByteBuf reason) {
    if (!CloseStatus.isValid(code)) {
      violation(PROTOCOL_ERROR, "close code " + code + " is not for the wire");
    } else if (!Utf8Check.isText(reason, reason.readerIndex(), reason.readableBytes())) {
      violation(INVALID_DATA, "close reason is not UTF-8");
    } else {
      close(code, reason.toString(StandardCharsets.UTF_8));
    }
  }

  private void close(int code, String reason) {
    stop();
    sink.onClose(code, reason);
  }

  private boolean violation(CloseCode code, String why) {
    stop();
    sink.onViolation(code, why);
    return false;
  }
}
