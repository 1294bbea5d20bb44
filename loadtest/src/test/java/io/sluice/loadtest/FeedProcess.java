package io.sluice.loadtest;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** A feed that the load test starts itself, because its rate is to change. One thread calls it. */
final class FeedProcess implements AutoCloseable {
  /** Stands for the messages a second in the command. */
  static final String RATE = "RATE";

  private static final int SECONDS_TO_END = 10;

  private final Process process;

  private FeedProcess(Process process) {
    this.process = process;
  }

  /**
   * Starts it.
   *
   * @param command words with spaces between them
   */
  static FeedProcess start(String command, double rate) throws IOException {
    String filled = command.replace(RATE, String.format(Locale.ROOT, "%.3f", rate));
    ProcessBuilder builder = new ProcessBuilder(List.of(filled.strip().split("\\s+")));
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    return new FeedProcess(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Ends it, and waits until it has gone. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
