package io.sluice.testkit;

import java.io.ByteArrayOutputStream;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompressor of one connection with permessage-deflate. It keeps the context of the server's
 * messages, unless the server has agreed not to use it. Confined to one thread.
 */
public final class MessageInflater implements AutoCloseable {
  private static final byte[] TAIL = {0, 0, -1, -1};

  private final Inflater inflater = new Inflater(true);
  private final boolean takeover;
  private final byte[] chunk = new byte[8192];

  /**
   * Creates a decompressor.
   *
   * @param extensions the value of Sec-WebSocket-Extensions in the server's response, or null
   */
  public MessageInflater(String extensions) {
    this.takeover = extensions == null || !extensions.contains("server_no_context_takeover");
  }

  /** Returns the content of a message with RSV1; messages must be passed in order. */
  public byte[] inflate(byte[] compressed) {
    if (!takeover) {
      inflater.reset();
    }
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    try {
      inflate(compressed, content);
      inflate(TAIL, content);
    } catch (DataFormatException e) {
      throw new AssertionError("the server's message does not inflate", e);
    }
    if (inflater.getRemaining() > 0) {
      throw new AssertionError("the server's message ends the compressed stream");
    }
    return content.toByteArray();
  }

  private void inflate(byte[] part, ByteArrayOutputStream content) throws DataFormatException {
    inflater.setInput(part);
    for (int n = inflater.inflate(chunk); n > 0; n = inflater.inflate(chunk)) {
      content.write(chunk, 0, n);
    }
  }

  /** Returns the message with its content decompressed if it has RSV1. */
  public ServerFrame inflate(ServerFrame message) {
    return message.rsv() == 4
        ? new ServerFrame(true, 0, message.opcode(), inflate(message.payload()))
        : message;
  }

  @Override
  public void close() {
    inflater.end();
  }
}
