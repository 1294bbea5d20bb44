package io.sluice.gateway.stomp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.gateway.websocket.Utf8Check;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Incremental parser of client frames. A frame may span several chunks, and a chunk may contain
 * several frames. Each byte is examined once. Bound to the client's event loop.
 *
 * <p>Between frames it stores nothing. Inside a frame it stores the headers and the bytes of the
 * incomplete line or body.
 */
final class StompParser {
  /** Largest number of headers of a frame. */
  static final int MAX_HEADERS = 128;

  private static final byte[] NO_BODY = {};
  private static final int UNKNOWN = -1;

  private final int maxBytes;

  /** Null before the negotiation, when nothing is unescaped. */
  private StompVersion version;

  /** Bytes of an earlier chunk that are not parsed yet; null if there are none. */
  private ByteBuf kept;

  /** Bytes behind the reader index that do not end the line or body. */
  private int scanned;

  /** Null outside a frame. */
  private StompCommand command;

  private StompHeaders headers;

  /** True behind the empty line. */
  private boolean inBody;

  /** Length of the body, or {@link #UNKNOWN}. */
  private int bodyBytes;

  /** Bytes of the frame before the reader index. */
  private int frameBytes;

  private boolean stopped;

  /**
   * @param maxBytes maximum size of a frame, without the NUL at its end
   */
  StompParser(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Sets the negotiated version, which defines the escape sequences of later frames. */
  void version(StompVersion negotiated) {
    version = negotiated;
  }

  /**
   * Parses a chunk, which the caller owns. The sink may stop the parser.
   *
   * @throws BadStomp at the first invalid frame; the parser is then stopped
   */
  void read(ByteBuf chunk, Consumer<StompFrame> sink) throws BadStomp {
    if (stopped) {
      return;
    }
    try {
      if (kept == null) {
        parse(chunk, sink);
        keep(chunk);
      } else {
        kept.writeBytes(chunk);
        parse(kept, sink);
        releaseParsed();
      }
    } catch (BadStomp e) {
      stop();
      throw e;
    }
  }

  private void keep(ByteBuf rest) {
    if (!stopped && rest.isReadable()) {
      kept = PooledByteBufAllocator.DEFAULT.heapBuffer(2 * rest.readableBytes()).writeBytes(rest);
    }
  }

  private void releaseParsed() {
    if (kept == null) {
      return; // the sink has stopped the parser
    }
    if (kept.isReadable()) {
      kept.discardSomeReadBytes();
    } else {
      kept.release();
      kept = null;
    }
  }

  /** Releases all bytes and ignores further ones. */
  void stop() {
    stopped = true;
    headers = null;
    if (kept != null) {
      kept.release();
      kept = null;
    }
  }

  private void parse(ByteBuf in, Consumer<StompFrame> sink) throws BadStomp {
    boolean complete = true;
    while (complete && !stopped) {
      complete = inBody ? readBody(in, sink) : readLine(in);
    }
    if (!stopped) {
      checkSize(frameBytes + in.readableBytes());
    }
  }

  /** Reads a line; returns false if it is incomplete. */
  private boolean readLine(ByteBuf in) throws BadStomp {
    if (command == null && scanned == 0) {
      skipLineEnds(in);
    }
    int start = in.readerIndex();
    int end = in.indexOf(start + scanned, in.writerIndex(), (byte) '\n');
    if (end < 0) {
      scanned = in.readableBytes();
      return false;
    }
    scanned = 0;
    frameBytes += end + 1 - start;
    checkSize(frameBytes);
    boolean crlf = end > start && in.getByte(end - 1) == '\r';
    onLine(text(in, start, crlf ? end - 1 : end));
    in.readerIndex(end + 1);
    return true;
  }

  // Heart-beats, and the optional line ends behind a frame.
  private static void skipLineEnds(ByteBuf in) {
    while (in.isReadable()) {
      byte next = in.getByte(in.readerIndex());
      if (next != '\n' && next != '\r') {
        return;
      }
      in.skipBytes(1);
    }
  }

  private void checkSize(int bytes) throws BadStomp {
    if (bytes > maxBytes) {
      throw tooLarge();
    }
  }

  private BadStomp tooLarge() {
    return new BadStomp("the frame exceeds limits.message-bytes (" + maxBytes + " bytes)");
  }

  private static String text(ByteBuf in, int start, int end) throws BadStomp {
    byte state = Utf8Check.advance(Utf8Check.BOUNDARY, in, start, end - start);
    if (state != Utf8Check.BOUNDARY) {
      throw new BadStomp("a header is not UTF-8");
    }
    return in.toString(start, end - start, StandardCharsets.UTF_8);
  }

  private void onLine(String line) throws BadStomp {
    if (command == null) {
      command = StompCommand.of(line);
      if (command == null) {
        throw new BadStomp("\"" + BadStomp.shortened(line) + "\" is not a command of a client");
      }
      headers = new StompHeaders();
    } else if (line.isEmpty()) {
      inBody = true;
      bodyBytes = contentLength();
    } else {
      addHeader(line);
    }
  }

  private void addHeader(String line) throws BadStomp {
    int colon = line.indexOf(':');
    if (colon <= 0) {
      throw new BadStomp("header \"" + BadStomp.shortened(line) + "\" is not name:value");
    }
    if (headers.count() == MAX_HEADERS) {
      throw new BadStomp("the frame has more than " + MAX_HEADERS + " headers");
    }
    String name = line.substring(0, colon);
    String value = line.substring(colon + 1);
    if (version == null || command.isConnect()) {
      headers.add(name, value);
    } else {
      headers.add(
          StompEscapes.unescape(name, version),
          version == StompVersion.V1_0 ? value.strip() : StompEscapes.unescape(value, version));
    }
  }

  private int contentLength() throws BadStomp {
    String text = headers.get("content-length");
    if (text == null) {
      return UNKNOWN;
    }
    String digits = text.strip();
    if (digits.isEmpty()
        || digits.length() > 18
        || !digits.chars().allMatch(StompParser::isDigit)) {
      throw BadStomp.header("content-length", text, "must be a number of bytes");
    }
    long length = Long.parseLong(digits);
    if (frameBytes + length > maxBytes) {
      throw tooLarge();
    }
    return (int) length;
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  /** Reads the body; returns false if it is incomplete. */
  private boolean readBody(ByteBuf in, Consumer<StompFrame> sink) throws BadStomp {
    int start = in.readerIndex();
    int end;
    if (bodyBytes == UNKNOWN) {
      end = in.indexOf(start + scanned, in.writerIndex(), (byte) 0);
      scanned = in.readableBytes();
    } else {
      end = in.readableBytes() > bodyBytes ? start + bodyBytes : -1;
    }
    if (end < 0) {
      return false;
    }
    if (in.getByte(end) != 0) {
      throw new BadStomp("no NUL follows the body of content-length " + bodyBytes);
    }
    byte[] body = end == start ? NO_BODY : ByteBufUtil.getBytes(in, start, end - start);
    in.readerIndex(end + 1);
    emit(body, sink);
    return true;
  }

  private void emit(byte[] body, Consumer<StompFrame> sink) throws BadStomp {
    checkSize(frameBytes + body.length);
    if (body.length > 0 && !command.hasBody()) {
      throw new BadStomp(command + " has a body of " + body.length + " bytes; only SEND has one");
    }
    StompFrame frame = new StompFrame(command, headers, body, frameBytes + body.length + 1);
    command = null;
    headers = null;
    inBody = false;
    scanned = 0;
    frameBytes = 0;
    sink.accept(frame);
  }
}
