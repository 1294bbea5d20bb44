package io.sluice.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Qpid Broker-J in a child process: a broker of AMQP 1.0 with a persistent store, on a loopback
 * address. It creates queues at their first use, and has the topic exchange {@code amq.topic}. Its
 * class path is that of the module broker-j. Bound to the test's thread.
 */
public final class BrokerJ implements AutoCloseable {
  private static final String MAIN = "org.apache.qpid.server.Main";
  private static final String READY = "BRK-1004";
  private static final String OPTIONS = "?amqp.vhost=default&jms.topicPrefix=amq.topic/";
  private static final Duration START = Duration.ofMinutes(2);

  private final Path folder;
  private final String host = Loopback.address();
  private final int port = FreePorts.one();
  private Process process;

  private BrokerJ(Path folder) {
    this.folder = folder;
  }

  /**
   * Starts a broker.
   *
   * @param folder empty folder for its data
   */
  public static BrokerJ start(Path folder) {
    BrokerJ broker = new BrokerJ(folder);
    try (InputStream configuration = BrokerJ.class.getResourceAsStream("broker-j.json")) {
      Files.copy(configuration, broker.configuration());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    broker.restart();
    return broker;
  }

  private Path configuration() {
    return folder.resolve("broker-j.json");
  }

  private Path log() {
    return folder.resolve("broker-j.log");
  }

  /** Starts the broker again after {@link #kill}, on the same port and with its data. */
  public void restart() {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1", // in a process of a few seconds C2 costs more than it saves
            "-XX:+UseSerialGC",
            "-Dderby.system.durability=test", // no fsync: tests do not crash the machine
            "-Dderby.stream.error.file=" + folder.resolve("derby.log"),
            "-cp",
            ServerClassPath.of("broker-j"),
            MAIN,
            "--initial-config-path",
            configuration().toString(),
            "--config-property",
            "qpid.work_dir=" + folder,
            "--config-property",
            "sluice.host=" + host,
            "--config-property",
            "qpid.amqp_port=" + port);
    try {
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(log().toFile())
              .start();
    } catch (IOException e) {
      throw new AssertionError("Broker-J can't be started", e);
    }
    try {
      Awaitility.await("Broker-J")
          .atMost(START)
          .pollInterval(Duration.ofMillis(50))
          .until(this::isReady);
    } catch (ConditionTimeoutException e) {
      kill();
      throw e;
    }
  }

  private boolean isReady() {
    if (!process.isAlive()) {
      throw new AssertionError("Broker-J has ended with " + process.exitValue());
    }
    try {
      return Files.readString(log()).contains(READY);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the URL for Qpid JMS, which does not change with a restart. */
  public String url() {
    return "amqp://" + host + ":" + port + OPTIONS;
  }

  /** Returns the URL through a link to this broker. */
  public String through(BrokerLink link) {
    return link.url().replace("tcp:", "amqp:") + OPTIONS;
  }

  /** Kills the process. */
  public void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}
