package io.sluice.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.testkit.CommandResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names, types and help texts of all metrics, checked by promtool. */
final class PromtoolIT {
  private static final Path PROVIDER = Path.of("src", "test", "scripts", "provide-program.sh");

  @TempDir private Path folder;

  private static String promtool() throws Exception {
    CommandResult provider =
        run(PROVIDER.toString(), "promtool", Path.of("target", "promtool").toString());
    assumeTrue(provider.code() == 0, "no promtool: " + provider.lastLine());
    return provider.lastLine();
  }

  private static CommandResult run(String... command) throws Exception {
    return CommandResult.of(Map.of(), List.of(command));
  }

  @Tag("full")
  @Test
  void shouldPassPromtoolCheckMetrics() throws Exception {
    Path scrape = folder.resolve("metrics.txt");
    try (Exposition exposition = new Exposition("promtool-it");
        GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none())) {
      metrics.latencyRecorder().record(1, 1);
      metrics.journalSyncRecorder();
      metrics.lagRecorder(0);
      Files.write(scrape, exposition.scrape(ScrapeFormat.PROMETHEUS));
    }
    CommandResult check =
        run("bash", "-c", "'" + promtool() + "' check metrics <'" + scrape + "' 2>&1");

    assertThat(check.output()).isBlank();
    assertThat(check.code()).isZero();
  }
}
