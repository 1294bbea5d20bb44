package io.sluice.gateway.queues;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * One event of a client: a delivery, or the confirmation of its acknowledgement. Immutable.
 *
 * @param number number of the message
 * @param kind type of the event
 * @param atNs time of the event by the clock that all processes of the machine share
 * @param sinceNs time at which the consumer of the event became active
 */
record DeliveryRecord(long number, Kind kind, long atNs, long sinceNs) {
  /** Types of events. */
  enum Kind {
    /** A delivery that is not marked as redelivered. */
    DELIVERED,
    /** A delivery that is marked as redelivered. */
    REDELIVERED,
    /** The node has confirmed the acknowledgement. */
    SETTLED
  }

  /** Size of a record in a file. */
  static final int BYTES = 32;

  static DeliveryRecord read(ByteBuffer from) {
    return new DeliveryRecord(
        from.getLong(), Kind.values()[(int) from.getLong()], from.getLong(), from.getLong());
  }

  private ByteBuffer bytes() {
    return ByteBuffer.allocate(BYTES)
        .putLong(number)
        .putLong(kind.ordinal())
        .putLong(atNs)
        .putLong(sinceNs)
        .flip();
  }

  /** File of a client's records, which outlives the process. Bound to one thread. */
  static final class Writer implements AutoCloseable {
    private final FileChannel file;
    private long sinceNs;

    private Writer(FileChannel file) {
      this.file = file;
    }

    static Writer open(Path path) throws IOException {
      return new Writer(
          FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    /** Begins a new consumer. */
    void connected() {
      sinceNs = System.nanoTime();
    }

    void delivered(long number, boolean redelivered) throws IOException {
      write(number, redelivered ? Kind.REDELIVERED : Kind.DELIVERED);
    }

    void settled(long number) throws IOException {
      write(number, Kind.SETTLED);
    }

    private void write(long number, Kind kind) throws IOException {
      file.write(new DeliveryRecord(number, kind, System.nanoTime(), sinceNs).bytes());
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  @Override
  public String toString() {
    return kind + " " + number + " at " + atNs + " since " + sinceNs;
  }
}
