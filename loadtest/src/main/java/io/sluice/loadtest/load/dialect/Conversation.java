package io.sluice.loadtest.load.dialect;

import io.netty.buffer.ByteBuf;

/** One client's connection after its handshake. Bound to the client's event loop. */
public interface Conversation {
  /** Number of bytes from the beginning of a payload that contain its stamp. */
  int STAMP_BYTES = 64;

  /** Receiver of a conversation's events. Buffers are valid only during the call. */
  interface Listener {
    /** Returns an empty send buffer, usable until it is sent. */
    ByteBuf out();

    /** Sends bytes. A failure closes the connection. */
    void send(ByteBuf bytes);

    /** Receives the payload length of a frame, or of a part of a response. */
    void onData(long bytes);

    /**
     * Receives the beginning of a message, with its stamp if the dialect's options require it.
     *
     * @param count number of bytes, possibly 0
     */
    void onMessage(ByteBuf bytes, int start, int count);

    /** Receives the whole content of a decompressed message, after {@link #onMessage}. */
    void onContent(byte[] content);

    /** Receives the length of a decompressed frame. */
    void onInflated(long bytes);

    /** Handles the confirmation of the subscription. */
    void onSubscribed();

    /** Handles a notification that messages may be missing. */
    void onGap();

    /** Handles the rejection or the end of the subscription. */
    void onRefused(String reason);

    /** Handles the end of the connection by the server's protocol. */
    void onClosed(String reason);
  }

  /** Appends the bytes that follow the handshake. */
  void begin(ByteBuf out);

  /**
   * Reads all of the bytes.
   *
   * @param scratch buffer whose content is overwritten
   * @return a protocol violation, or null; after a violation no more bytes can be read
   */
  String read(ByteBuf in, ByteBuf scratch);

  /** Appends the bytes that end the connection. */
  void end(ByteBuf out);

  /** Frees native memory. */
  default void close() {
    // Only decompressors have native memory.
  }
}
