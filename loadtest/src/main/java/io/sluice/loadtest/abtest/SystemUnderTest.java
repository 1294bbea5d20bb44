package io.sluice.loadtest.abtest;

import java.net.URI;
import java.util.Optional;

/**
 * System of an A/B test. Immutable, for any thread.
 *
 * @param name unique name in the test
 * @param command shell command that starts the system; empty if it is running already
 * @param url of its WebSocket
 * @param metrics URL of its metrics; empty without any
 * @param ready URL that responds with status 200 once the system is ready; empty to wait for a
 *     WebSocket handshake at {@code url}
 */
public record SystemUnderTest(
    String name, Optional<String> command, URI url, Optional<URI> metrics, Optional<URI> ready) {

  /** Returns the same system with another name, for an A/A test. */
  public SystemUnderTest named(String other) {
    return new SystemUnderTest(other, command, url, metrics, ready);
  }

  /** Returns whether the system is started for each of its runs. */
  public boolean isRestarted() {
    return command.isPresent();
  }
}
