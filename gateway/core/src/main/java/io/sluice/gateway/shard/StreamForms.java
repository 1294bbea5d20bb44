package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.history.EncodedMessage;
import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.MessageForm;
import io.sluice.gateway.shard.CompressionWindow.StreamTraffic;
import io.sluice.gateway.websocket.WebSocketFrame;

/**
 * Forms of consecutive frames for clients with equal {@link CompressionWindow}s, or with the same
 * dictionary for compressed frames. Bound to the shard's event loop and reused.
 *
 * <pre>
 * forms.begin(binary, start, previous);
 * for (EncodedMessage message : messages) {
 *   ByteBuf frame = message.frame(forms.next(message.entry), forms.previous(), encoder);
 *   forms.add(message, form, frame);
 * }
 * </pre>
 */
final class StreamForms {
  /** Number of starts: the size of a table indexed by {@link #start}. */
  static final int STARTS = 6;

  private static final int IN_STEP = 1;
  private static final int SELECTED = 2;
  private static final int FRAMED = 4;

  private boolean binary;
  private boolean selected;
  private boolean framed;
  private boolean inStep;
  private boolean compressed;
  private int used;
  private LogEntry previous;
  private final CompressionTally tally;

  StreamForms(CompressionTally tally) {
    this.tally = tally;
  }

  /**
   * Returns the start of a client whose messages are compressed natively.
   *
   * @param next offset of the next message
   */
  static int start(CompressionWindow window, StreamTraffic stream, long next, long nowNs) {
    int start = window.endsWith(stream, next - 1) ? IN_STEP : 0;
    return window.selects(stream, nowNs) ? start | SELECTED : start;
  }

  /**
   * Returns the start of a subscription with compressed frames.
   *
   * @param retainsPrevious whether the client retains the message before the next one
   */
  static int framedStart(boolean retainsPrevious) {
    return retainsPrevious ? FRAMED | IN_STEP : FRAMED;
  }

  /**
   * Begins a sequence.
   *
   * @param before the entry before the first message in the log, or null
   */
  void begin(boolean isBinary, int start, LogEntry before) {
    binary = isBinary;
    inStep = (start & IN_STEP) != 0;
    framed = (start & FRAMED) != 0;
    selected = (start & SELECTED) != 0;
    previous = before;
    compressed = false;
    used = 0;
    tally.begin();
  }

  /** Returns the ordinal of the form of the next message. */
  int next(LogEntry message) {
    MessageForm form;
    boolean continues = inStep && message.continues(previous);
    if (framed) {
      form = MessageForm.framed(binary, continues);
    } else if (continues) {
      form = MessageForm.next(binary);
    } else if (selected && !message.channel().isCompressedAlone()) {
      form = MessageForm.seed(binary);
    } else {
      form = MessageForm.of(Encoding.of(binary, true));
    }
    return form.ordinal();
  }

  /** Returns the entry before the next message, or null. */
  LogEntry previous() {
    return previous;
  }

  /** Adds a message that the client is sent in the form {@link #next}. */
  void add(EncodedMessage message, int form, ByteBuf frame) {
    inStep = framed || WebSocketFrame.isDeflated(frame);
    compressed |= inStep;
    used |= 1 << form;
    previous = message.entry;
    tally.add(MessageForm.at(form), message.plainBytes(binary), frame);
  }

  /** Returns the forms of the sequence, as a bit set of ordinals. */
  int used() {
    return used;
  }

  /** Returns the effect of the sequence on a client. */
  Effect effect() {
    if (framed) {
      return Effect.RETAINS_LAST;
    }
    if (!compressed) {
      return Effect.NONE;
    }
    return inStep ? Effect.ENDS_WITH_LAST : Effect.UNKNOWN;
  }

  /** Effect of frames on a client's window, or on the dictionary of its subscription. */
  enum Effect {
    /** No frame is compressed. */
    NONE,
    /** The window ends with the last message. */
    ENDS_WITH_LAST,
    /** The client retains the last message as dictionary of the subscription. */
    RETAINS_LAST,
    /** The window ends with another message, which need not be stored. */
    UNKNOWN
  }
}
