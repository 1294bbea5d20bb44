package io.sluice.gateway.broker.registry;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Bytes in memory up to a limit. Used by one thread. */
final class LimitedBytes extends OutputStream {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final long limit;

  /** Reports that the limit would be exceeded. */
  static final class Exceeded extends IOException {
    private static final long serialVersionUID = 1L;
  }

  LimitedBytes(long limit) {
    this.limit = limit;
  }

  @Override
  public void write(int b) throws IOException {
    require(1);
    bytes.write(b);
  }

  @Override
  public void write(byte[] from, int offset, int length) throws IOException {
    require(length);
    bytes.write(from, offset, length);
  }

  private void require(int length) throws IOException {
    if (bytes.size() + (long) length > limit) {
      throw new Exceeded();
    }
  }

  byte[] toByteArray() {
    return bytes.toByteArray();
  }
}
