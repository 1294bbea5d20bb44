package io.sluice.gateway.journal;

import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.store.StoreFailure;
import io.sluice.gateway.store.StoredMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Benchmark of batches of messages of 512 bytes: one is appended and synced, another is read. The
 * folder is created in {@code java.io.tmpdir}, which should be on the disk to measure.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 2)
public class JournalBenchmark {
  private static final int BYTES = 512;
  private static final int KEPT = 100_000;
  private static final JournalLimits LIMITS =
      new JournalLimits(KEPT, 1L << 30, Samples.ROOMY.age(), 1L << 32);

  /** Messages per batch. */
  @Param({"1", "100"})
  public int batch;

  private Path folder;
  private Journal journal;
  private TopicJournal topic;
  private Message message;
  private long next;

  @Setup
  public void open() throws IOException, StoreFailure {
    folder = Files.createTempDirectory("journal");
    journal = Journal.open(folder, LIMITS);
    topic = journal.topic("stocks.7");
    byte[] payload = new byte[BYTES];
    new Random(1).nextBytes(payload);
    message = new Message("stocks.7", 1, 1, PayloadKind.TEXT, payload, null);
    for (int i = 0; i < KEPT; i++) {
      topic.append(new StoredMessage(topic.nextOffset(), i, message));
    }
    topic.sync();
  }

  @Benchmark
  public void appendAndSync() throws StoreFailure {
    for (int i = 0; i < batch; i++) {
      topic.append(new StoredMessage(topic.nextOffset(), 1, message));
    }
    topic.sync();
  }

  @Benchmark
  public List<StoredMessage> readOnwards() throws StoreFailure {
    next = Math.max(next, topic.firstOffset());
    List<StoredMessage> messages = topic.read(next, batch);
    next = messages.isEmpty() ? 0 : next + messages.size();
    return messages;
  }

  @TearDown
  public void close() throws IOException, StoreFailure {
    topic.delete();
    journal.close();
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
