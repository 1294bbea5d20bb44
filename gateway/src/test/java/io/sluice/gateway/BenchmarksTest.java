package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Every benchmark runs, with every parameter; what it measures here means nothing. */
final class BenchmarksTest {
  @Tag("full")
  @Test
  void shouldRun() throws RunnerException {
    Options once =
        new OptionsBuilder()
            .mode(Mode.SingleShotTime)
            .forks(0)
            .warmupIterations(0)
            .measurementIterations(1)
            .timeout(TimeValue.minutes(1))
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT)
            .build();
    assertThat(
            new Runner(once)
                .run().stream()
                    .map(result -> result.getPrimaryResult().getLabel())
                    .collect(Collectors.toSet()))
        .containsExactlyInAnyOrder(
            "encode",
            "offer",
            "drain",
            "drainTogether",
            "appendAndSync",
            "readOnwards",
            "send",
            "sendAndTake",
            "subscribeAtTheLimit",
            "feed",
            "copy",
            "matchByTrie",
            "matchByScan",
            "newTopic",
            "gap",
            "live",
            "join",
            "compileOne",
            "evaluate");
  }
}
