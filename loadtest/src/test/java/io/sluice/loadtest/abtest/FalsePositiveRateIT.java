package io.sluice.loadtest.abtest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.loadtest.report.Comparison;
import io.sluice.loadtest.report.ComparisonOptions;
import io.sluice.loadtest.report.Difference;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.statistics.Intervals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.statistics.distribution.BinomialDistribution;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A/A tests of this machine, of which at most the stated share may have a verdict. {@code -Paa}
 * runs it. Complete A/A tests in the folder count, so an interrupted test continues. With {@code
 * -Dsluice.aa.from} and {@code -Dsluice.aa.to} it only measures some of them.
 */
@Tag("aa")
class FalsePositiveRateIT {
  private static final int TESTS = Integer.getInteger("sluice.aa.tests", 20);
  private static final int FROM = Integer.getInteger("sluice.aa.from", 1);
  private static final int TO = Integer.getInteger("sluice.aa.to", TESTS);
  private static final int BLOCKS = Integer.getInteger("sluice.aa.blocks", 3);
  private static final Path FOLDER =
      Path.of(System.getProperty("sluice.aa.folder", "target/aa")).toAbsolutePath();
  private static final double ALPHA = 1 - Intervals.LEVEL;

  /** Probability with which the test fails although the rate is the stated one. */
  private static final double FAILS_BY_CHANCE = 0.001;

  @Test
  void shouldHaveAtMostTheStatedRateOfFalsePositives() throws Exception {
    try (BrokerAndFeed broker = BrokerAndFeed.start()) {
      List<String> violations = new ArrayList<>();
      for (int number = FROM; number <= TO; number++) {
        if (baseline(number) == null) {
          violations.addAll(measure(broker, number));
        }
      }
      assertThat(violations).isEmpty();
    }
    if (FROM == 1 && TO == TESTS) {
      verify();
    }
  }

  private static void verify() throws IOException {
    List<Comparison> comparisons = new ArrayList<>();
    for (int number = 1; number <= TESTS; number++) {
      comparisons.add(comparison(number));
    }
    Files.writeString(FOLDER.resolve("aa.csv"), csv(comparisons));

    long positives = comparisons.stream().filter(Comparison::isDifferent).count();
    // Holds also for the weaker hypothesis that the rate is below the stated one.
    double byChance =
        BinomialDistribution.of(TESTS, ALPHA).survivalProbability((int) positives - 1);
    System.out.printf(
        Locale.ROOT,
        "%d of %d A/A tests with a verdict; probability of as many or more: %.4f%n",
        positives,
        TESTS,
        byChance);
    assertThat(byChance)
        .as("%s of %s A/A tests have a verdict; see %s", positives, TESTS, FOLDER)
        .isGreaterThanOrEqualTo(FAILS_BY_CHANCE);
  }

  private static List<String> measure(BrokerAndFeed broker, int number) throws Exception {
    SystemUnderTest system = broker.gateway("a");
    Properties load = BrokerAndFeed.load();
    load.setProperty("clients", "300");
    load.setProperty("warmup", "1");
    load.setProperty("duration", "2");
    load.setProperty("tolerance", "100");
    AbTestPlan plan =
        new AbTestPlan(
            system,
            system.named("b"),
            BLOCKS,
            number,
            load,
            Duration.ofSeconds(60),
            Duration.ofSeconds(30),
            folder(number),
            "mvn -Paa");
    AbTest.Result result = new AbTest(plan, name -> name, System.out::println).run();
    if (!result.violations().isEmpty()) {
      // Not counted when the test continues.
      Files.delete(result.baselineFile());
    }
    return result.violations();
  }

  private static Path folder(int number) {
    return FOLDER.resolve(String.format(Locale.ROOT, "%02d", number));
  }

  /** Returns the complete baseline of a previous execution, or null. */
  private static Path baseline(int number) throws IOException {
    if (!Files.isDirectory(folder(number))) {
      return null;
    }
    try (Stream<Path> files = Files.list(folder(number))) {
      for (Path file : files.filter(path -> path.toString().endsWith("-a.json")).toList()) {
        if (Measurement.read(file).runs().size() >= BLOCKS) {
          return file;
        }
      }
    }
    return null;
  }

  private static Comparison comparison(int number) throws IOException {
    Path baseline = baseline(number);
    Path candidate = Path.of(baseline.toString().replaceFirst("-a.json$", "-b.json"));
    return Comparison.of(read(baseline), read(candidate), ComparisonOptions.DEFAULT);
  }

  /** Returns the runs of the first blocks. */
  private static Measurement read(Path file) throws IOException {
    Measurement whole = Measurement.read(file);
    return new Measurement(
        whole.format(),
        whole.simulation(),
        whole.startedAt(),
        whole.command(),
        whole.parameters(),
        whole.machine(),
        whole.versions(),
        whole.clock(),
        whole.runs().subList(0, BLOCKS));
  }

  private static String csv(List<Comparison> comparisons) {
    StringBuilder csv =
        new StringBuilder("test,metric,baseline,candidate,change,low,high,p_corrected,verdict\n");
    for (int i = 0; i < comparisons.size(); i++) {
      for (Difference difference : comparisons.get(i).steps().get(0).differences()) {
        csv.append(row(i + 1, difference)).append('\n');
      }
    }
    return csv.toString();
  }

  private static String row(int number, Difference difference) {
    return Stream.of(
            difference.baseline(),
            difference.candidate(),
            difference.interval().estimate(),
            difference.interval().low(),
            difference.interval().high(),
            difference.pValue())
        .map(value -> String.format(Locale.ROOT, "%.4f", value))
        .collect(
            Collectors.joining(
                ",",
                number + "," + difference.metric().replaceAll(",.*", "") + ",",
                "," + difference.verdict()));
  }
}
