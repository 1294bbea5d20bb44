package io.sluice.loadtest.broker.provider;

import java.io.IOException;

/** Source of the broker that a run uses. */
public interface BrokerSource {
  /** Provides a broker. The caller closes it. */
  Visit open() throws IOException;

  /** Running broker, until it is closed. */
  interface Visit extends AutoCloseable {
    BrokerTarget target();

    @Override
    void close() throws IOException;
  }

  /** Returns a source of a broker that is running already. */
  static BrokerSource of(BrokerTarget target) {
    return () ->
        new Visit() {
          @Override
          public BrokerTarget target() {
            return target;
          }

          @Override
          public void close() {}
        };
  }
}
