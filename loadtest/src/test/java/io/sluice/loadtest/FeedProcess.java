package io.sluice.loadtest;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Feed started by the load test, which changes its rate. One thread calls it. */
final class FeedProcess implements AutoCloseable {
  /** Placeholder in the command for the messages per second. */
  static final String RATE = "RATE";

  private static final int SECONDS_TO_END = 10;

  private final Process process;

  private FeedProcess(Process process) {
    this.process = process;
  }

  /**
   * Starts a feed.
   *
   * @param command words with spaces between them
   */
  static FeedProcess start(String command, double rate) throws IOException {
    String completed = command.replace(RATE, String.format(Locale.ROOT, "%.3f", rate));
    ProcessBuilder builder = new ProcessBuilder(List.of(completed.strip().split("\\s+")));
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    return new FeedProcess(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Stops the feed and waits until it has exited. */
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
