package io.sluice.loadtest.broker.price;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Writer of a recording: for each update, nanoseconds since the first one, length and encoding. For
 * one thread at a time.
 */
public final class PriceRecorder implements AutoCloseable {
  /** First bytes of a recording. */
  static final long MAGIC = 0x534c50524943_4531L; // "SLPRICE1"

  /** Number of bytes before an encoded update. */
  static final int HEADER_BYTES = Long.BYTES + Integer.BYTES;

  private static final int BUFFER_BYTES = 1 << 16;

  private final FileChannel channel;
  private final boolean synced;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private long firstNanos;
  private boolean started;

  private PriceRecorder(FileChannel channel, boolean synced) {
    this.channel = channel;
    this.synced = synced;
    buffer.putLong(MAGIC);
  }

  /**
   * Creates or replaces a recording.
   *
   * @param synced whether each update is written and synced at once
   */
  public static PriceRecorder open(Path file, boolean synced) throws IOException {
    FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE);
    return new PriceRecorder(channel, synced);
  }

  /**
   * Appends an update.
   *
   * @param nanos time of receipt by {@link System#nanoTime}
   */
  public void append(PriceUpdate update, long nanos) throws IOException {
    byte[] bytes = PriceCodec.encode(update, HEADER_BYTES);
    firstNanos = started ? firstNanos : nanos;
    started = true;
    ByteBuffer entry = ByteBuffer.wrap(bytes);
    entry.putLong(0, nanos - firstNanos);
    entry.putInt(Long.BYTES, bytes.length - HEADER_BYTES);
    write(entry);
    if (synced) {
      flush();
      channel.force(false);
    }
  }

  private void write(ByteBuffer entry) throws IOException {
    if (entry.remaining() > buffer.remaining()) {
      flush();
    }
    if (entry.remaining() > buffer.remaining()) {
      writeFully(entry);
    } else {
      buffer.put(entry);
    }
  }

  private void flush() throws IOException {
    buffer.flip();
    writeFully(buffer);
    buffer.clear();
  }

  private void writeFully(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  /** Writes and syncs all updates, and closes the file. */
  @Override
  public void close() throws IOException {
    try (channel) {
      flush();
      channel.force(true);
    }
  }
}
