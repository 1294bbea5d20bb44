package io.sluice.loadtest.load.frame;

import io.netty.buffer.ByteBuf;

/** Parser of a server's frames. Bound to its client's event loop. */
public interface FrameParser {
  /**
   * Reads all of the bytes.
   *
   * @param scratch buffer for {@link FrameScanner#MAX_HEAD} bytes, whose content is overwritten
   * @return a protocol violation, or null; after a violation no more bytes can be read
   */
  String read(ByteBuf in, ByteBuf scratch, FrameScanner.Listener listener);

  /** Frees native memory. */
  default void close() {
    // A parser without decompressor has none.
  }
}
