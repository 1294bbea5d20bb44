package io.sluice.gateway.cli;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The embedded broker's process. It lives as long as its standard input is open, so it ends with
 * this process, however that ends. {@link #start} and {@link #close} may be called by any thread.
 */
final class BrokerChild implements AutoCloseable {
  /** The system property with the folder that holds the broker's jar, and in lib what it needs. */
  static final String FOLDER = "sluice.embedded-broker";

  private static final String MAIN = "io.sluice.broker.EmbeddedBroker";
  private static final String READY = "BROKER READY ";
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

  /** ^C goes to the whole process group; the broker is to end after the gateway, not with it. */
  private static final List<String> DEAF_TO_SIGNALS =
      List.of("/bin/sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh");

  private final Process process;
  private final CompletableFuture<String> url = new CompletableFuture<>();

  private BrokerChild(Process process) {
    this.process = process;
    Thread reader = new Thread(this::readOutput, "broker-output");
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Starts a broker and returns once clients can connect; its log goes to standard error.
   *
   * @param port where it listens, 0 for any free port
   * @param data folder of its journal, null for none
   */
  static BrokerChild start(int port, Path data) {
    List<String> command = new ArrayList<>(DEAF_TO_SIGNALS);
    command.addAll(java());
    command.addAll(List.of("-cp", classPath(), MAIN, "--until-stdin-closes"));
    command.addAll(List.of("--host", "127.0.0.1", "--port", Integer.toString(port)));
    if (data != null) {
      command.addAll(List.of("--data", data.toString()));
    }
    try {
      ProcessBuilder builder = new ProcessBuilder(command);
      BrokerChild child =
          new BrokerChild(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
      child.awaitReady();
      return child;
    } catch (IOException e) {
      throw new CommandFailure("the broker's process can't be started: " + e.getMessage(), e);
    }
  }

  /** Where clients connect. */
  String url() {
    return url.join();
  }

  /** Completes when the process has ended, with its exit code. */
  CompletableFuture<Integer> ended() {
    return process.onExit().thenApply(Process::exitValue);
  }

  /** Ends the process; by force if it doesn't listen. */
  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      process.destroy();
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
    }
  }

  private void awaitReady() {
    try {
      url.get(START_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      close();
      throw new CommandFailure("the broker did not start: " + e.getCause().getMessage(), e);
    } catch (TimeoutException e) {
      close();
      throw new CommandFailure(
          "the broker was not ready within " + START_LIMIT.toSeconds() + " s", e);
    } catch (InterruptedException e) {
      close();
      Thread.currentThread().interrupt();
      throw new CommandFailure("interrupted while the broker started", e);
    }
  }

  private void readOutput() {
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(READY)) {
          url.complete(line.substring(READY.length()).trim());
        }
      }
      int code = process.waitFor();
      url.completeExceptionally(new IOException("its process ended with exit code " + code));
    } catch (IOException e) {
      url.completeExceptionally(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<String> java() {
    List<String> java = new ArrayList<>();
    java.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    java.add("--enable-native-access=ALL-UNNAMED");
    if (Runtime.version().feature() >= 24) {
      java.add("--sun-misc-unsafe-memory-access=allow");
    }
    return java;
  }

  private static String classPath() {
    String folder = System.getProperty(FOLDER, "");
    if (folder.isEmpty() || !Files.isDirectory(Path.of(folder, "lib"))) {
      throw new CommandFailure(
          "the embedded broker is not here"
              + (folder.isEmpty() ? "" : " (looked in " + folder + ")")
              + "; it is built with the sources and no part of a production archive");
    }
    return Path.of(folder, "*") + File.pathSeparator + Path.of(folder, "lib", "*");
  }
}
