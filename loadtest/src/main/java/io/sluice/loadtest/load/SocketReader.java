package io.sluice.loadtest.load;

import java.io.IOException;

/** Reader of the file descriptors of one event loop. Bound to that event loop. */
interface SocketReader extends AutoCloseable {
  /** Maximum number of consecutive reads of one client before other clients are read. */
  int MAX_READS = 4;

  /**
   * Reads the available bytes, immediately or at the end of the loop iteration.
   *
   * @param ending whether the peer has ended the stream
   */
  void read(DescriptorLink link, boolean ending) throws IOException;

  /** Completes queued reads before a descriptor is closed and its number reused. */
  void beforeClose();

  @Override
  void close();
}
