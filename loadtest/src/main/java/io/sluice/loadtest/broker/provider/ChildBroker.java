package io.sluice.loadtest.broker.provider;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Broker in a child process, which runs only while its standard input is open and therefore ends
 * with this process. For one thread.
 */
final class ChildBroker implements AutoCloseable {
  /** Prefix of the broker's output line with its URL. */
  static final String READY = "BROKER READY ";

  private static final String FAILED = "BROKER FAILED ";

  /**
   * System property with the folder of the embedded Artemis, whose dependencies are in {@code lib}.
   */
  private static final String ARTEMIS_FOLDER = "sluice.embedded-broker";

  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

  private final Process process;
  private final CompletableFuture<String> url = new CompletableFuture<>();

  private ChildBroker(Process process) {
    this.process = process;
    Thread reader = new Thread(this::readOutput, "broker-output");
    reader.setDaemon(true);
    reader.start();
  }

  /** Starts a broker with its journal in a folder and waits until clients can connect. */
  static ChildBroker start(JournalVariant variant, Path folder) throws IOException {
    Process process =
        new ProcessBuilder(command(variant, folder))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    ChildBroker child = new ChildBroker(process);
    child.awaitReady(variant.name());
    if (variant.asynchronous()) {
      child.checkNative();
    }
    return child;
  }

  private void checkNative() throws IOException {
    try {
      ArtemisNative.check(process.pid());
    } catch (IOException | BrokerStartFailure e) {
      close();
      throw e;
    }
  }

  private static List<String> command(JournalVariant variant, Path folder) throws IOException {
    boolean artemis = variant.provider() == JmsProvider.ARTEMIS;
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    if (Runtime.version().feature() >= 24) {
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    for (Map.Entry<String, String> setting : variant.settings().entrySet()) {
      // Artemis reads settings from system properties with this prefix.
      String prefix = artemis ? "brokerconfig." : "";
      command.add("-D" + prefix + setting.getKey() + "=" + setting.getValue());
    }
    if (variant.asynchronous()) {
      ArtemisNative.extract(artemisFolder().resolve("lib"), folder);
      command.add("-Djava.library.path=" + folder);
    }
    command.add("-cp");
    if (artemis) {
      command.addAll(List.of(artemisClassPath(), "io.sluice.broker.EmbeddedBroker"));
      command.addAll(List.of("--until-stdin-closes", "--port", "0", "--data", folder.toString()));
    } else {
      command.addAll(List.of(System.getProperty("java.class.path"), ClassicBroker.class.getName()));
      command.add(folder.toString());
    }
    return command;
  }

  private static String artemisClassPath() {
    Path folder = artemisFolder();
    return folder.resolve("*") + File.pathSeparator + folder.resolve("lib").resolve("*");
  }

  private static Path artemisFolder() {
    String folder = System.getProperty(ARTEMIS_FOLDER, "");
    if (folder.isEmpty() || !Files.isDirectory(Path.of(folder, "lib"))) {
      throw new BrokerStartFailure(
          "the embedded Artemis is missing; expected it in '"
              + folder
              + "': mvn -DskipTests -pl gateway/embedded-broker package");
    }
    return Path.of(folder);
  }

  /** Returns the URL for clients. */
  String url() {
    return url.join();
  }

  private void awaitReady(String name) {
    try {
      url.get(START_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      close();
      throw new BrokerStartFailure(
          "the broker '" + name + "' did not start: " + e.getCause().getMessage(), e);
    } catch (TimeoutException e) {
      close();
      throw new BrokerStartFailure(
          "the broker '" + name + "' was not ready within " + START_LIMIT.toSeconds() + " s", e);
    } catch (InterruptedException e) {
      close();
      Thread.currentThread().interrupt();
      throw new BrokerStartFailure("interrupted while the broker '" + name + "' started", e);
    }
  }

  private void readOutput() {
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(READY)) {
          url.complete(line.substring(READY.length()).trim());
        } else if (line.startsWith(FAILED)) {
          url.completeExceptionally(new IOException(line.substring(FAILED.length())));
        }
      }
      url.completeExceptionally(new IOException("its process has ended"));
    } catch (IOException e) {
      url.completeExceptionally(e);
    }
  }

  /** Stops the process, and kills it after a timeout. */
  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
