package io.sluice.gateway.websocket;

import static io.sluice.gateway.protocol.CloseCode.INVALID_DATA;
import static io.sluice.gateway.protocol.CloseCode.PROTOCOL_ERROR;
import static io.sluice.gateway.protocol.CloseCode.TOO_BIG;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.CloseCode;
import io.sluice.gateway.protocol.WebSocketFrame;
import java.nio.charset.StandardCharsets;

/**
 * Owns what has arrived of one client's WebSocket frames and turns it into whole messages (RFC 6455
 * and, if negotiated, permessage-deflate of RFC 7692 without context takeover).
 *
 * <p>Bound to the connection's event loop. A frame that arrives whole is handed on where it lies,
 * without copy or allocation; what arrives in pieces is unmasked, checked and kept as it comes, in
 * a buffer that grows with what has come and not with what a header claims. Between messages an
 * instance holds no buffer.
 */
public final class FrameDecoder {
  /**
   * Takes what the decoder finds. It may call {@link #stop}, not {@link #read}.
   *
   * <p>Payloads are lent for the call: the sink may move their indices, and must copy what it
   * keeps, because the next read overwrites the bytes. The decoder fails if a sink has retained
   * one, which closes the connection.
   */
  public interface Sink {
    void onText(ByteBuf payload);

    void onBinary(ByteBuf payload);

    void onPing(ByteBuf payload);

    void onPong(ByteBuf payload);

    /** The client's close frame, the last thing from it; the code is 1005 if it sent none. */
    void onClose(int code, String reason);

    /** The client broke a rule; nothing more comes from it. */
    void onViolation(CloseCode code, String why);
  }

  /**
   * Most payload bytes of one frame as it is on the wire, and of one message, all fragments and
   * inflated.
   */
  public record Limits(int maxFrameBytes, int maxMessageBytes) {
    private static final int MOST = 1 << 30;

    public Limits {
      boolean least = maxFrameBytes >= WebSocketFrame.MAX_CONTROL_PAYLOAD && maxMessageBytes >= 1;
      if (!least || maxFrameBytes > MOST || maxMessageBytes > MOST) {
        throw new IllegalArgumentException(
            "limits of " + maxFrameBytes + " B a frame and " + maxMessageBytes + " B a message");
      }
    }
  }

  private static final int LEAST_KEPT = 256;

  /** Cost of a message, a ping or a pong in the rate of frames. */
  public static final int MILLI_FRAME = 1000;

  /**
   * Cost of each further fragment of a message in the rate of frames; 62 cost as much as a message.
   *
   * <p>A fragment takes 0.1 to 0.3 µs, a message 3 µs and more. Clients may send large messages in
   * small fragments, so a fragment does not count as a message. It is not free either: the limits
   * of size do not bound the rate of small fragments. At 1,000 frames a second, fragments take at
   * most 2 % of an event loop.
   */
  public static final int MILLI_FRAMES_A_FRAGMENT = 16;

  private final Limits limits;
  private final Inflation inflation;
  private final Sink sink;

  private ByteBuf pending; // of an unfinished header or control frame
  private ByteBuf message; // of an unfinished message, unmasked, deflated if it came so
  private int mask; // of the current frame, turned to the next payload byte
  private int missing; // payload bytes of the current frame that have not come
  private byte frame; // first byte of the current frame
  private byte opening; // first byte of the current message, 0 between messages
  private byte utf8; // state of the current text
  private int milliFrames; // begun since they were last asked for
  private int empty; // fragments of the current message that have no payload
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
   * Takes all of {@code in}, which stays the caller's to release. Its bytes are overwritten (frames
   * are unmasked where they lie) unless it is read-only: then they are copied first.
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

  /** Returns how many thousandths of a frame have begun since this was last called. */
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
   * Ends the decoder, also from within a call to the sink: gives back what is held of unfinished
   * frames, hands nothing more on and skips what still arrives.
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

  /** False if the header is not whole yet, or wrong. */
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

  // Each part is judged as soon as it is there, without waiting for the rest of the header.
  private boolean parseHeader(ByteBuf from) {
    int available = from.readableBytes();
    int at = from.readerIndex();
    if (available < 2 || !acceptsStart(from.getByte(at), from.getByte(at + 1))) {
      return false;
    }
    int maskAt = FrameHeader.bytesBeforeMask(from.getByte(at + 1));
    if (available < maskAt || !acceptsLength(from, at)) {
      return false;
    }
    if (available < maskAt + FrameHeader.MASK_BYTES) {
      return false;
    }
    begin(from.getByte(at), (int) FrameHeader.length(from, at), from.getInt(at + maskAt));
    from.skipBytes(maskAt + FrameHeader.MASK_BYTES);
    return true;
  }

  private void begin(byte first, int length, int maskOfFrame) {
    boolean fragment = !FrameHeader.isControl(first) && !FrameHeader.opensMessage(first);
    milliFrames += fragment ? MILLI_FRAMES_A_FRAGMENT : MILLI_FRAME;
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

  private boolean acceptsLength(ByteBuf from, int at) {
    byte first = from.getByte(at);
    long length = FrameHeader.length(from, at);
    String fault = FrameHeader.faultOfLength(from.getByte(at + 1), length);
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
    long most = FrameHeader.isDeflated(firstOfMessage) ? mostDeflated() : limits.maxMessageBytes();
    long held = message == null ? 0 : message.readableBytes();
    // Empty fragments add nothing to the size, so they are bounded by their number.
    boolean tooMany = opening != 0 && empty > most;
    return !tooMany && held + length <= most || violation(TOO_BIG, messageTooBig());
  }

  // What does not compress grows by a few bytes a block, and still may be as large as the limit.
  private long mostDeflated() {
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
      ByteBuf whole = pending;
      pending = null;
      deliverOwned(whole);
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
    keep(in, count);
    if (last) {
      ByteBuf whole = message;
      message = null;
      deliverOwned(whole);
    }
  }

  private boolean isPlainText() {
    return FrameHeader.isText(opening) && !FrameHeader.isDeflated(opening);
  }

  private void keep(ByteBuf in, int count) {
    if (count == 0) {
      return;
    }
    if (message == null) {
      message = in.alloc().buffer(Math.max(count, LEAST_KEPT));
    } else if (message.writableBytes() < count) {
      long needed = (long) message.readableBytes() + count;
      long doubled = Math.min(2L * message.capacity(), mostDeflated());
      message.capacity((int) Math.max(needed, doubled));
    }
    message.writeBytes(in, count);
  }

  // Lends the sink the reader's own buffer, narrowed to the payload: a slice would be an object.
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

  private void deliverOwned(ByteBuf whole) {
    try {
      deliver(whole);
    } finally {
      whole.release();
    }
  }

  private void deliver(ByteBuf payload) {
    int references = payload.refCnt();
    hand(payload);
    checkReturned(payload, references);
  }

  private static void checkReturned(ByteBuf payload, int references) {
    if (payload.refCnt() > references) {
      throw new IllegalStateException("a payload was retained, which is lent for the call only");
    }
  }

  private void hand(ByteBuf payload) {
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
          checkReturned(content, 1);
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
