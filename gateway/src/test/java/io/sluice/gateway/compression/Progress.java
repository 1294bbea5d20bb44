package io.sluice.gateway.compression;

/** Number of published messages, for which readers can wait. For any thread. */
final class Progress {
  private long published;

  synchronized long published() {
    return published;
  }

  synchronized void published(long number) {
    published = number;
    notifyAll();
  }

  synchronized void await(long number) {
    try {
      while (published < number) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
