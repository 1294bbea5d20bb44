package io.sluice.loadtest.broker.provider;

import java.io.IOException;

/** Provider of the broker for a run. Used by the thread of the run. */
public interface BrokerSource {
  /** Returns a running broker. The caller closes it. */
  Lease open() throws IOException;

  /** Running broker, available until it is closed. */
  interface Lease extends AutoCloseable {
    BrokerTarget target();

    /** Returns the number of its journal files, or -1 if unknown. */
    default int journalFiles() throws IOException {
      return -1;
    }

    @Override
    void close() throws IOException;
  }

  /** Returns a source of an already running broker. */
  static BrokerSource of(BrokerTarget target) {
    return () ->
        new Lease() {
          @Override
          public BrokerTarget target() {
            return target;
          }

          @Override
          public void close() {}
        };
  }
}
