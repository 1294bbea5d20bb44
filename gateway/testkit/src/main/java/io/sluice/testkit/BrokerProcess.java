package io.sluice.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Broker of either provider in a child process. Bound to the test's thread. */
public final class BrokerProcess implements AutoCloseable {
  private final String provider;
  private final String host = Loopback.address();

  /** Folder of persistent messages; null: no persistence. */
  private final Path data;

  private int port;
  private BrokerJvm jvm;

  private BrokerProcess(String provider, Path data) {
    this.provider = provider;
    this.data = data;
    restart();
  }

  /** Starts a broker without persistence on a free port. */
  public static BrokerProcess start(String provider) {
    return new BrokerProcess(provider, null);
  }

  /** Starts a broker with persistent messages in a folder on a free port. */
  public static BrokerProcess start(String provider, Path data) {
    return new BrokerProcess(provider, data);
  }

  /** Restarts the broker after {@link #kill}, on the same port. */
  public void restart() {
    List<String> folder = data == null ? List.of() : List.of("--data", data.toString());
    jvm = provider.equals("classic") ? classic(folder) : artemis(folder);
    port = jvm.port();
  }

  private BrokerJvm classic(List<String> folder) {
    List<String> arguments =
        new ArrayList<>(List.of(ClassicServer.class.getName(), host, String.valueOf(port)));
    arguments.addAll(folder);
    return BrokerJvm.start(System.getProperty("java.class.path"), arguments);
  }

  private BrokerJvm artemis(List<String> folder) {
    List<String> options = new ArrayList<>(List.of("--host", host, "--port", String.valueOf(port)));
    options.addAll(folder);
    return BrokerJvm.artemis(options.toArray(String[]::new));
  }

  public String provider() {
    return provider;
  }

  public String host() {
    return host;
  }

  public int port() {
    return port;
  }

  /** Returns the URL for clients, which does not change with a restart. */
  public String url() {
    return "tcp://" + host + ":" + port;
  }

  /** Kills the process. */
  public void kill() {
    jvm.kill();
  }

  /** Suspends the process (SIGSTOP): its connections remain open, but it does not respond. */
  public void pause() {
    jvm.pause();
  }

  /** Continues the process after {@link #pause}. */
  public void resume() {
    jvm.resume();
  }

  @Override
  public void close() {
    jvm.kill();
  }
}
