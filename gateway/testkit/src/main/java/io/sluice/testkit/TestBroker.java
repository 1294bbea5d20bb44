package io.sluice.testkit;

import io.sluice.testkit.TestAuthority.Issued;
import java.nio.file.Path;

/** Broker under a test's control, with access to its management. Bound to the test's thread. */
public interface TestBroker extends AutoCloseable {
  /** Returns the value of {@code broker.provider}. */
  String provider();

  /** Returns the URL for clients, which does not change with a restart. */
  String url();

  /** Kills the broker. */
  void kill();

  /** Restarts the broker after {@link #kill}, on the same port. */
  void restart();

  /** Returns the number of client connections, without that of the management. */
  int connections();

  /** Returns the number of consumers of a topic or pattern, in the broker's syntax. */
  int consumers(String topic);

  /** Returns the number of messages of a queue, with those that consumers have not settled. */
  int messages(String queue);

  /** Returns the number of consumers of a queue. */
  int queueConsumers(String queue);

  @Override
  void close();

  /** Starts a broker of a provider without persistence on a free port. */
  static TestBroker start(String provider) {
    return provider.equals("classic") ? ClassicBroker.start() : ArtemisProcess.start();
  }

  /** Starts a broker with persistent messages in a folder. */
  static TestBroker start(String provider, Path data) {
    return provider.equals("classic")
        ? ClassicBroker.start(data)
        : ArtemisProcess.start("--data", data.toString());
  }

  /** Starts a broker without persistence whose acceptor uses TLS only. */
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
   * Starts a broker that sends new consumers the latest five messages of topics below {@code
   * retro}.
   */
  static TestBroker startRetroactive(String provider) {
    return provider.equals("classic")
        ? ClassicBroker.startRetroactive()
        : ArtemisProcess.start("--retroactive", "retro", "--last-value", "last");
  }

  /** Returns a provider's URL with the option that enables history for consumers. */
  static String retroactiveUrl(String provider, String url) {
    return provider.equals("classic") ? url + "?jms.useRetroactiveConsumer=true" : url;
  }
}
