package io.sluice.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A broker of either kind in a process of its own, to be killed or stopped. */
public final class BrokerProcess implements AutoCloseable {
  private final String provider;
  private final String host = Loopback.address();

  /** Null to keep nothing. */
  private final Path data;

  private int port;
  private BrokerJvm jvm;

  private BrokerProcess(String provider, Path data) {
    this.provider = provider;
    this.data = data;
    restart();
  }

  /** Starts one that keeps nothing, on a free port. */
  public static BrokerProcess start(String provider) {
    return new BrokerProcess(provider, null);
  }

  /** Starts one that keeps what is persistent in a folder, on a free port. */
  public static BrokerProcess start(String provider, Path data) {
    return new BrokerProcess(provider, data);
  }

  /** Starts it again after {@link #kill}, where it was. */
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

  /** Where clients connect; the same after every start. */
  public String url() {
    return "tcp://" + host + ":" + port;
  }

  /** Ends it without a farewell. */
  public void kill() {
    jvm.kill();
  }

  /** Stops it where it stands: its connections stay, and it answers nobody. */
  public void pause() {
    jvm.pause();
  }

  /** Lets it go on after {@link #pause}. */
  public void resume() {
    jvm.resume();
  }

  @Override
  public void close() {
    jvm.kill();
  }
}
