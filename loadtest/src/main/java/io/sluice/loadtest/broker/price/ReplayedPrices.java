package io.sluice.loadtest.broker.price;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Feed of the prices in a recording, with their times. For one thread at a time. */
public final class ReplayedPrices implements PriceFeed {
  private static final int MAX_BYTES = 4 << 20;

  private final Path file;
  private final DataInputStream in;
  private long position = Long.BYTES;
  private long offsetNanos;
  private PriceUpdate update;

  private ReplayedPrices(Path file, DataInputStream in) {
    this.file = file;
    this.in = in;
  }

  /**
   * Opens a recording.
   *
   * @throws IOException if the file is unreadable or no recording; the message names it
   */
  public static ReplayedPrices open(Path file) throws IOException {
    DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 1 << 16));
    try {
      if (in.readLong() == PriceRecorder.MAGIC) {
        return new ReplayedPrices(file, in);
      }
    } catch (EOFException e) {
      in.close();
      throw new IOException(file + ": expected a recording of prices", e);
    }
    in.close();
    throw new IOException(file + ": expected a recording of prices");
  }

  @Override
  public boolean next() throws IOException {
    int first = in.read();
    if (first < 0) {
      return false;
    }
    try {
      byte[] rest = in.readNBytes(Long.BYTES - 1);
      offsetNanos = first;
      for (byte each : rest) {
        offsetNanos = offsetNanos << Byte.SIZE | each & 0xff;
      }
      int length = in.readInt();
      if (length < 0 || length > MAX_BYTES) {
        throw invalid(length + " bytes", null);
      }
      byte[] bytes = new byte[length];
      in.readFully(bytes);
      update = PriceCodec.decode(bytes, 0);
      position += PriceRecorder.HEADER_BYTES + length;
      return true;
    } catch (EOFException e) {
      throw invalid("incomplete", e);
    } catch (IllegalArgumentException e) {
      throw invalid(e.getMessage(), e);
    }
  }

  private IOException invalid(String problem, Exception cause) {
    return new IOException(
        "%s: the update at byte %d is invalid: %s".formatted(file, position, problem), cause);
  }

  @Override
  public PriceUpdate update() {
    return update;
  }

  @Override
  public long offsetNanos() {
    return offsetNanos;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
