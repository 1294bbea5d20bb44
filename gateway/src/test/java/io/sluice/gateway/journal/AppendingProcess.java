package io.sluice.gateway.journal;

import io.sluice.gateway.store.StoreFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Process that appends to a topic's log until it is stopped and prints each synced offset. */
final class AppendingProcess implements AutoCloseable {
  static final String TOPIC = "a";
  private static final int BATCH = 10;

  private final Process process;
  private final BufferedReader out;

  private AppendingProcess(Process process) {
    this.process = process;
    this.out = process.inputReader();
  }

  static AppendingProcess start(Path folder) throws IOException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            AppendingProcess.class.getName(),
            folder.toString());
    return new AppendingProcess(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start());
  }

  /** Returns the output: the epoch, then one offset per line. */
  long next() throws IOException {
    String line = out.readLine();
    if (line == null) {
      throw new IOException("the process has ended");
    }
    return Long.parseLong(line);
  }

  /** Kills the process at an arbitrary point and returns the last offset that it printed. */
  long kill(long synced) throws IOException, InterruptedException {
    // Not through Process, which would close its output before it is read.
    ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroyForcibly);
    process.waitFor();
    long last = synced;
    for (String line = out.readLine(); line != null && !line.isEmpty(); line = out.readLine()) {
      last = Math.max(last, Long.parseLong(line));
    }
    return last;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /** Entry point of the process; its argument is the folder. */
  public static void main(String[] arguments) throws StoreFailure {
    Journal journal = Journal.open(Path.of(arguments[0]), Samples.ROOMY);
    TopicJournal topic = journal.topic(TOPIC);
    System.out.println(topic.epoch());
    while (true) {
      Samples.append(topic, BATCH);
      topic.sync();
      System.out.println(topic.nextOffset() - 1);
    }
  }
}
