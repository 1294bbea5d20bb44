package io.sluice.testkit;

import io.sluice.testkit.TestAuthority.Issued;
import java.nio.file.Path;

/** A real broker under a test's control, and what its own management says of it. */
public interface TestBroker extends AutoCloseable {
  /** The value of {@code broker.provider} for it. */
  String provider();

  /** Where clients connect; the same after every start. */
  String url();

  /** Ends the broker without a farewell. */
  void kill();

  /** Starts it again after {@link #kill}, on the same port. */
  void restart();

  /** Connections of clients, this management's own not counted. */
  int connections();

  /** Consumers on a topic or pattern, written as the broker writes it. */
  int consumers(String topic);

  @Override
  void close();

  /** Starts a broker of this provider, which keeps nothing, on a free port. */
  static TestBroker start(String provider) {
    return provider.equals("classic") ? ClassicBroker.start() : ArtemisProcess.start();
  }

  /** Starts one that keeps what is persistent in a folder. */
  static TestBroker start(String provider, Path data) {
    return provider.equals("classic")
        ? ClassicBroker.start(data)
        : ArtemisProcess.start("--data", data.toString());
  }

  /** Starts one that keeps nothing and speaks nothing but TLS, by an acceptor of its own. */
  static TestBroker startWithTls(String provider, Issued certificate) {
    return provider.equals("classic")
        ? ClassicBroker.startWithTls(certificate)
        : ArtemisProcess.start(
            "--key-store",
            certificate.store().toString(),
            "--key-store-password",
            TestAuthority.PASSWORD);
  }

  /**
   * Starts one that gives new consumers the latest five messages of each topic under {@code retro}.
   */
  static TestBroker startRetroactive(String provider) {
    return provider.equals("classic")
        ? ClassicBroker.startRetroactive()
        : ArtemisProcess.start("--retroactive", "retro", "--last-value", "last");
  }

  /** A URL of this provider as an operator has to write it, so that consumers get history. */
  static String retroactiveUrl(String provider, String url) {
    return provider.equals("classic") ? url + "?jms.useRetroactiveConsumer=true" : url;
  }
}
