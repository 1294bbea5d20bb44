package io.sluice.loadtest.broker;

import java.io.IOException;

/** Where the broker of a run is from. */
interface Site {
  /** A broker to run at. The caller closes it. */
  Visit open() throws IOException;

  /** A broker that is there. */
  interface Visit extends AutoCloseable {
    Target target();

    @Override
    void close() throws IOException;
  }

  /** A broker that somebody else has started. */
  static Site of(Target target) {
    return () ->
        new Visit() {
          @Override
          public Target target() {
            return target;
          }

          @Override
          public void close() {}
        };
  }
}
