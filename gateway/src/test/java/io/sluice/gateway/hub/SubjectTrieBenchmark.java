package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.ArrayList;
import java.util.List;
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
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** Benchmark of finding the patterns that cover a topic: trie and scan of all patterns. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class SubjectTrieBenchmark {
  @Param({"1", "100", "10000"})
  public int patterns;

  private final SubjectTrie<String> trie = new SubjectTrie<>();
  private final List<String> all = new ArrayList<>();

  @Setup
  public void add() {
    for (int i = 0; i < patterns; i++) {
      String pattern = "users." + i + ".*";
      all.add(pattern);
      trie.put(pattern, pattern);
    }
  }

  @Benchmark
  public void matchByTrie(Blackhole found) {
    trie.forEachCovering("users.0.orders", found::consume);
  }

  @Benchmark
  public void matchByScan(Blackhole found) {
    for (String pattern : all) {
      if (TopicPattern.covers(pattern, "users.0.orders")) {
        found.consume(pattern);
      }
    }
  }
}
