package io.sluice.gateway.broker.selector;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

/** Benchmark of the evaluation of all selectors of a topic for one message. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class SelectorBenchmark {
  private static final List<String> FORMS =
      List.of(
          "symbol = 'S%d'",
          "region = 'EU' AND price > %d",
          "symbol LIKE 'S%d%%' OR region IN ('US', 'JP')",
          "price BETWEEN %d AND 20000 AND urgent = TRUE");

  @Param({"1", "100", "10000"})
  public int selectors;

  private final List<Selector> all = new ArrayList<>();
  private final MessageFields fields =
      MessageFields.of(
          Map.of("symbol", "S5000", "region", "EU", "price", 5_000.5, "urgent", true, "n", 1L));

  @Setup
  public void compile() throws InvalidSelector {
    for (int i = 0; i < selectors; i++) {
      all.add(Selector.compile(FORMS.get(i % FORMS.size()).formatted(i)));
    }
  }

  @Benchmark
  public int evaluate() {
    int matches = 0;
    for (Selector selector : all) {
      matches += selector.matches(fields) ? 1 : 0;
    }
    return matches;
  }

  @Benchmark
  public Selector compileOne() throws InvalidSelector {
    return Selector.compile("region = 'EU' AND price > 100");
  }
}
