package io.sluice.gateway.http;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

/** How a client takes bytes off its socket. Called by its reader before each read. */
@FunctionalInterface
interface Pace {
  /**
   * Waits as long as it likes.
   *
   * @param taken bytes that were read before
   * @return how many the next read may take at most
   */
  int nextRead(long taken) throws InterruptedException;

  static Pace quick() {
    return taken -> Integer.MAX_VALUE;
  }

  static Pace byteByByte() {
    return taken -> 1;
  }

  /** Some bytes at a time, a few or many. */
  static Pace uneven(Random random) {
    return taken -> 1 << random.nextInt(14);
  }

  /** This pace, but for one pause after so many bytes. */
  default Pace pausing(long afterBytes, CountDownLatch until) {
    return taken -> {
      if (taken < afterBytes) {
        return (int) Math.min(afterBytes - taken, nextRead(taken));
      }
      until.await();
      return nextRead(taken);
    };
  }

  /** A stream whose reads keep this pace. */
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
