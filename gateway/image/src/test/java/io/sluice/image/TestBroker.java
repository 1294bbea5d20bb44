package io.sluice.image;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The embedded broker in a process of its own. For one thread. */
record TestBroker(Process process, String url) implements AutoCloseable {
  private static final Path FOLDER = Path.of("..", "embedded-broker", "target");
  private static final String READY = "BROKER READY ";

  static TestBroker start() throws IOException {
    Process process =
        new ProcessBuilder(command()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader lines = process.inputReader();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith(READY)) {
        return new TestBroker(process, line.substring(READY.length()));
      }
    }
    throw new AssertionError("the broker has ended before it was ready");
  }

  private static List<String> command() {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-cp",
        FOLDER.resolve("*") + File.pathSeparator + FOLDER.resolve("lib").resolve("*"),
        "io.sluice.broker.EmbeddedBroker",
        "--until-stdin-closes",
        "--port",
        "0");
  }

  /** Ends it; by force if it does not listen. */
  @Override
  public void close() throws IOException {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
