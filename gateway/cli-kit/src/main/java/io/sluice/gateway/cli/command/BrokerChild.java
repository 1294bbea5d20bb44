package io.sluice.gateway.cli.command;

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
 * Child process with the embedded broker. {@link #start}, {@link #announceStop} and {@link #close}
 * may be called by any thread. The process ends when its standard input is closed, and therefore
 * with this process.
 */
public final class BrokerChild implements AutoCloseable {
  /** System property with the folder of the broker's jar, which contains its libraries in lib. */
  public static final String FOLDER = "sluice.embedded-broker";

  private static final String MAIN = "io.sluice.broker.EmbeddedBroker";
  private static final String READY = "BROKER READY ";
  private static final String FAILED = "BROKER FAILED ";
  private static final Duration NOTICE = Duration.ofSeconds(15);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

  /** Ignores the signal of ^C, which the whole group receives: the broker must stop last. */
  private static final List<String> IGNORE_SIGNALS =
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
   * @param port listen port; 0: any free port
   * @param data folder of its journal; null: no journal
   * @param limit timeout of the start; zero: none
   */
  public static BrokerChild start(int port, Path data, Duration limit) {
    List<String> command = new ArrayList<>(IGNORE_SIGNALS);
    command.addAll(java());
    command.addAll(List.of("-cp", classPath(), MAIN, "--until-stdin-closes"));
    command.addAll(List.of("--host", "127.0.0.1", "--port", Integer.toString(port)));
    if (data != null) {
      command.addAll(List.of("--data", data.toString()));
    }
    return start(command, limit);
  }

  /** Starts a broker by a command that prints {@code BROKER READY} or {@code BROKER FAILED}. */
  public static BrokerChild start(List<String> command, Duration limit) {
    try {
      ProcessBuilder builder = new ProcessBuilder(command);
      BrokerChild child =
          new BrokerChild(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
      child.awaitReady(limit);
      return child;
    } catch (IOException e) {
      throw new CommandFailure("the broker's process can't be started: " + e.getMessage(), e);
    }
  }

  /** Returns the URL for clients. */
  public String url() {
    return url.join();
  }

  /** Returns a future that completes with the exit code when the process ends. */
  public CompletableFuture<Integer> ended() {
    return process.onExit().thenApply(Process::exitValue);
  }

  /** Announces that clients stop, after which the broker logs errors only. */
  public void announceStop() {
    try {
      process.getOutputStream().write('\n');
      process.getOutputStream().flush();
    } catch (IOException e) {
      // The process has ended, or its input is closed already.
    }
  }

  /** Stops the process; kills it after a timeout. */
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

  // A large journal or a slow machine can take minutes; the process ends if it fails.
  private void awaitReady(Duration limit) {
    try {
      long waitedMs = 0;
      while (!isReady(limit, waitedMs)) {
        waitedMs += NOTICE.toMillis();
        if (!limit.isZero() && waitedMs >= limit.toMillis()) {
          close();
          throw new CommandFailure(
              "the broker was not ready within " + limit.toSeconds() + " s (--start-timeout)");
        }
        System.err.println("sluice: the broker has been starting for " + waitedMs / 1000 + " s");
      }
    } catch (ExecutionException e) {
      close();
      throw new CommandFailure("the broker did not start: " + e.getCause().getMessage(), e);
    } catch (InterruptedException e) {
      close();
      Thread.currentThread().interrupt();
      throw new CommandFailure("interrupted while the broker started", e);
    }
  }

  /** Waits until the broker is ready, the next notice is due, or the limit has passed. */
  private boolean isReady(Duration limit, long waitedMs)
      throws ExecutionException, InterruptedException {
    long waitMs = NOTICE.toMillis();
    if (!limit.isZero()) {
      waitMs = Math.min(waitMs, limit.toMillis() - waitedMs);
    }
    try {
      url.get(waitMs, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
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

  /** Returns whether this installation has the broker. */
  public static boolean isInstalled() {
    String folder = System.getProperty(FOLDER, "");
    return !folder.isEmpty() && Files.isDirectory(Path.of(folder, "lib"));
  }

  private static String classPath() {
    String folder = System.getProperty(FOLDER, "");
    if (!isInstalled()) {
      throw new CommandFailure(
          "the embedded broker is not installed"
              + (folder.isEmpty() ? "" : " (expected in " + folder + ")")
              + "; it is built from the sources and is not part of a production archive. Start a node"
              + " with 'sluice run --broker URL --anonymous', or the demo with --source kafka or"
              + " nats");
    }
    return Path.of(folder, "*") + File.pathSeparator + Path.of(folder, "lib", "*");
  }
}
