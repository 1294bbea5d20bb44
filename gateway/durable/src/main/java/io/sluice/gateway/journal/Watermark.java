package io.sluice.gateway.journal;

import io.sluice.gateway.store.Recovery;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Offset up to which a topic's log was synced, in a small file next to its database. It reveals a
 * database that lost its tail, which is otherwise valid. It is written after every sync but not
 * synced itself: after a power failure it may be older than the database, which is harmless, but
 * never newer. Owned by the topic's writer.
 */
final class Watermark implements AutoCloseable {
  private static final int NUMBERS = 5;
  private static final int LENGTH = (NUMBERS + 1) * Long.BYTES;

  /**
   * Content of the file.
   *
   * @param epoch epoch of the log
   * @param droppedMessages number of messages dropped so far
   * @param droppedBytes bytes of the dropped messages
   * @param messages number of messages synced so far, including dropped ones
   * @param bytes bytes of the synced messages
   */
  record Level(long epoch, long droppedMessages, long droppedBytes, long messages, long bytes) {
    static final Level UNKNOWN = new Level(0, 0, 0, 0, 0);

    /** Returns the level of a log whose messages are all synced. */
    static Level of(TopicState state) {
      LogPosition oldest = state.oldest();
      LogPosition end = state.end();
      return new Level(state.epoch(), oldest.ordinal(), oldest.bytes(), end.ordinal(), end.bytes());
    }

    /** Returns the recovery of a log that lost all of its messages. */
    Recovery lost() {
      return new Recovery(
          Recovery.Outcome.RENEWED, messages - droppedMessages, bytes - droppedBytes);
    }
  }

  /** Not a FileChannel, because an interrupt of the writing thread would close it. */
  private final RandomAccessFile file;

  private Watermark(RandomAccessFile file) {
    this.file = file;
  }

  /** Opens the file and syncs its directory entry. */
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

  /** Reads the level; returns {@link Level#UNKNOWN} if the file is missing or corrupt. */
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
