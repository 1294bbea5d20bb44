package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.metrics.CompressionMeters;
import io.sluice.gateway.protocol.CompressedFrame;
import io.sluice.gateway.protocol.MessageForm;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.util.Arrays;

/**
 * Counters of the messages of one batch that were sent to clients with compression, by their form.
 * Bound to the shard's event loop.
 *
 * <p>A sequence of frames is counted once, and then multiplied by the clients that received it.
 */
final class CompressionTally {
  private static final int FORMS = CompressionMeters.FORMS;

  /** Messages, bytes before and after compression, for each form. */
  private final long[] totals = new long[3 * FORMS];

  private final long[] sequence = new long[3 * FORMS];
  private boolean empty = true;

  /** Begins a sequence. */
  void begin() {
    Arrays.fill(sequence, 0);
  }

  /** Adds a frame to the sequence. */
  void add(MessageForm encoded, int plainBytes, ByteBuf frame) {
    int form = meter(encoded, frame);
    sequence[3 * form]++;
    sequence[3 * form + 1] += plainBytes + WebSocketFrame.headerBytes(plainBytes);
    sequence[3 * form + 2] += frame.readableBytes();
  }

  private static int meter(MessageForm encoded, ByteBuf frame) {
    if (encoded.isNext()) {
      return CompressionMeters.NEXT;
    }
    boolean deflated =
        WebSocketFrame.isDeflated(frame)
            || CompressedFrame.is(frame) && CompressedFrame.isDeflated(frame);
    return deflated ? CompressionMeters.FULL : CompressionMeters.NONE;
  }

  /** Returns the counters of the sequence, for {@link #sent}. */
  long[] sequence() {
    return sequence.clone();
  }

  /** Counts that clients received a sequence. */
  void sent(long[] counted, int clients) {
    for (int i = 0; i < totals.length; i++) {
      totals[i] += counted[i] * clients;
    }
    empty &= clients == 0;
  }

  /** Adds the totals to the metrics and clears them. */
  void report(CompressionMeters meters) {
    if (empty) {
      return;
    }
    for (int form = 0; form < FORMS; form++) {
      if (totals[3 * form] > 0) { // an adder is written even if it adds nothing
        meters.sent(form, totals[3 * form], totals[3 * form + 1], totals[3 * form + 2]);
      }
    }
    Arrays.fill(totals, 0);
    empty = true;
  }
}
