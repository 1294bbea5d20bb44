package io.sluice.loadtest.load;

import java.io.IOException;

/** A way to read from the descriptors of one event loop. Bound to that loop. */
interface Reads extends AutoCloseable {
  /** The most that one client sends before the others have their turn, in reads. */
  int MOST_IN_TURN = 4;

  /**
   * Reads what has come, now or at the end of the loop's turn.
   *
   * @param ending whether the end of the stream has come, too
   */
  void read(DescriptorLink link, boolean ending) throws IOException;

  /** A descriptor is about to be closed, and another socket may get its number. */
  void beforeClose();

  @Override
  void close();
}
