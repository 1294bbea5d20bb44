package io.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * OpenMQ broker, whose store and port survive a restart, and the file of its JNDI objects. Bound to
 * one test.
 */
public final class OpenMqServer implements AutoCloseable {
  /** Oldest Java of the broker and of its client. */
  public static final int JAVA = 21;

  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private final List<String> command = new ArrayList<>();
  private final Path folder;
  private final Path log;
  private Process process;

  private OpenMqServer(Path java, Path home, Path folder) throws IOException {
    this.folder = folder;
    this.log = folder.resolve("openmq.log");
    String host = Loopback.address();
    int port = FreePorts.at(host);
    Path libraries = home.resolve("lib");
    Path data = Files.createDirectories(folder.resolve("data").resolve("instances")).getParent();
    // Only C1: in a process of a few seconds C2 costs more than it saves.
    command.add(java.toString());
    command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"));
    command.add(
        libraries.resolve("imqbroker.jar") + File.pathSeparator + libraries.resolve("imqutil.jar"));
    command.add("-Dimq.home=" + home);
    command.add("-Dimq.etchome=" + home.resolve("etc"));
    command.add("-Dimq.libhome=" + libraries);
    command.add("-Dimq.varhome=" + data);
    command.add("-Dimq.hostname=" + host);
    command.addAll(List.of("com.sun.messaging.jmq.jmsserver.Broker", "-tty", "-port", "" + port));
    writeObjects("mq://" + host + ":" + port + "/jms");
    Files.createDirectory(client());
    for (String jar : List.of("imq.jar", "fscontext.jar")) {
      Files.copy(libraries.resolve(jar), client().resolve(jar));
    }
  }

  /** Returns the folder with the jars of its client. */
  public Path client() {
    return folder.resolve("client");
  }

  /** Returns the URL of the folder with the JNDI object {@code ConnectionFactory}. */
  public String objects() {
    return folder.toUri().toString();
  }

  // As imqobjmgr writes it, with the default values of all other attributes.
  private void writeObjects(String address) throws IOException {
    Properties objects = new Properties();
    String name = "ConnectionFactory/";
    objects.setProperty(name + "ClassName", "com.sun.messaging.ConnectionFactory");
    objects.setProperty(name + "FactoryName", "com.sun.messaging.naming.AdministeredObjectFactory");
    List<List<String>> attributes =
        List.of(
            List.of("version", "3.0"),
            List.of("readOnly", "false"),
            List.of("imqAddressList", address));
    for (int i = 0; i < attributes.size(); i++) {
      String attribute = name + "RefAddr/" + i;
      objects.setProperty(attribute + "/Encoding", "String");
      objects.setProperty(attribute + "/Type", attributes.get(i).get(0));
      objects.setProperty(attribute + "/Content", attributes.get(i).get(1));
    }
    try (Writer file = Files.newBufferedWriter(folder.resolve(".bindings"))) {
      objects.store(file, null);
    }
  }

  /**
   * Starts a broker, and returns when it accepts connections.
   *
   * @param java executable of Java {@link #JAVA} or later
   * @param home folder of the unpacked distribution
   * @param folder absolute path of its empty folder, which is also that of the JNDI objects
   */
  public static OpenMqServer start(Path java, Path home, Path folder) throws IOException {
    OpenMqServer server = new OpenMqServer(java, home.toAbsolutePath(), folder);
    server.restart();
    return server;
  }

  /**
   * Starts it again after {@link #kill} at the same port, and returns when it accepts connections.
   */
  public void restart() throws IOException {
    Files.deleteIfExists(log);
    process =
        new ProcessBuilder(command).redirectOutput(log.toFile()).redirectErrorStream(true).start();
    await("OpenMQ is ready").atMost(TIMEOUT).until(this::isReady);
  }

  private boolean isReady() throws IOException {
    String output = Files.readString(log);
    assertThat(process.isAlive()).as("OpenMQ runs: " + output).isTrue();
    return output.contains("[B1039]");
  }

  /** Kills it, as a crash does. */
  public void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}
