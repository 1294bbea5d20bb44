package io.sluice.gateway.http;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

/** Pace at which a client reads from its socket. Called by its reader before each read. */
@FunctionalInterface
interface Pace {
  /**
   * Waits before the next read.
   *
   * @param taken number of bytes read before
   * @return maximum number of bytes of the next read
   */
  int nextRead(long taken) throws InterruptedException;

  static Pace quick() {
    return taken -> Integer.MAX_VALUE;
  }

  static Pace byteByByte() {
    return taken -> 1;
  }

  /** Returns a pace of few or many bytes per read. */
  static Pace uneven(Random random) {
    return taken -> 1 << random.nextInt(14);
  }

  /** Returns this pace with one pause after a number of bytes. */
  default Pace pausing(long afterBytes, CountDownLatch until) {
    return taken -> {
      if (taken < afterBytes) {
        return (int) Math.min(afterBytes - taken, nextRead(taken));
      }
      until.await();
      return nextRead(taken);
    };
  }

  /** Returns a stream whose reads have this pace. */
  default InputStream of(InputStream stream) {
    return new FilterInputStream(stream) {
      private long taken;

      @Override
      public int read() {
        throw new UnsupportedOperationException("the reader reads by buffers");
      }

      @Override
      public int read(byte[] bytes, int offset, int length) throws IOException {
        try {
          int count = super.read(bytes, offset, Math.min(length, nextRead(taken)));
          taken += Math.max(0, count);
          return count;
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new InterruptedIOException("interrupted while pausing");
        }
      }
    };
  }
}
