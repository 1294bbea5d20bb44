package io.sluice.gateway.journal;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Offset up to which a topic's log was safe, in a small file beside its database. A database that
 * lost its tail looks like one that never had it; this is what tells them apart. It is written
 * after every sync, but not synced itself: after a power failure it may be older than the database,
 * which is no harm, and never newer. Owned by the topic's writer.
 */
final class Watermark implements AutoCloseable {
  private static final int NUMBERS = 5;
  private static final int LENGTH = (NUMBERS + 1) * Long.BYTES;

  /**
   * What it says.
   *
   * @param epoch of the log it belongs to
   * @param droppedMessages messages that had been dropped by then
   * @param droppedBytes their bytes
   * @param messages messages that had been safe by then, dropped ones included
   * @param bytes their bytes
   */
  record Level(long epoch, long droppedMessages, long droppedBytes, long messages, long bytes) {
    static final Level UNKNOWN = new Level(0, 0, 0, 0, 0);

    /** The level of a log whose messages are all safe. */
    static Level of(TopicState state) {
      Mark oldest = state.oldest();
      Mark end = state.end();
      return new Level(state.epoch(), oldest.ordinal(), oldest.bytes(), end.ordinal(), end.bytes());
    }

    /** The recovery of a log that is gone, with all messages that it had. */
    Recovery lost() {
      return new Recovery(
          Recovery.Outcome.RENEWED, messages - droppedMessages, bytes - droppedBytes);
    }
  }

  /** Not a FileChannel, which an interrupt of the writing thread would close. */
  private final RandomAccessFile file;

  private Watermark(RandomAccessFile file) {
    this.file = file;
  }

  /** Opens the file and makes its entry in the folder safe. */
  static Watermark open(Path path, Level level) throws IOException {
    RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
    try {
      Watermark watermark = new Watermark(file);
      watermark.write(level);
      file.getFD().sync();
      try (FileChannel folder = FileChannel.open(path.getParent(), StandardOpenOption.READ)) {
        folder.force(true);
      }
      return watermark;
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  /** What the file says, or {@link Level#UNKNOWN} if there is none or it is damaged. */
  static Level read(Path path) throws IOException {
    if (!Files.exists(path) || Files.size(path) != LENGTH) {
      return Level.UNKNOWN;
    }
    ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(path));
    Level level = new Level(in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong());
    return in.getLong() == Checksum.of(numbers(level)) ? level : Level.UNKNOWN;
  }

  void write(Level level) throws IOException {
    byte[] numbers = numbers(level);
    ByteBuffer out = ByteBuffer.allocate(LENGTH).put(numbers).putLong(Checksum.of(numbers));
    file.seek(0);
    file.write(out.array());
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  private static byte[] numbers(Level level) {
    return Checksum.bytes(
        level.epoch, level.droppedMessages, level.droppedBytes, level.messages, level.bytes);
  }
}
