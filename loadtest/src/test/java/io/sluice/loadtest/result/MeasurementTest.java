package io.sluice.loadtest.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.MeasuredRun.Event;
import io.sluice.loadtest.result.MeasuredRun.GatewaySample;
import io.sluice.loadtest.result.MeasuredRun.LoadGeneratorResult;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import io.sluice.loadtest.result.MeasuredRun.Second;
import io.sluice.loadtest.result.Measurement.ClockOffset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MeasurementTest {
  @TempDir Path folder;

  @Test
  void shouldReadWrittenFile() throws Exception {
    Path file = folder.resolve("ticker.json");

    measurement().write(file);

    assertThat(Measurement.read(file)).isEqualTo(measurement());
  }

  @Test
  void shouldUnpackHistogramOfAFile() throws Exception {
    Path file = folder.resolve("ticker.json");
    measurement().write(file);

    ClientResult client = Measurement.read(file).runs().get(0).clients().get(0);

    assertThat(client.sinceDue().unpack().getValueAtPercentile(50)).isEqualTo(200);
    assertThat(client.sinceDue().mean()).isEqualTo(200);
  }

  @Test
  void shouldReadLatenciesOfEarlierVersions() throws Exception {
    Path file = folder.resolve("ticker.json");
    measurement().write(file);
    Files.writeString(file, Files.readString(file).replace("sinceDue", "sinceSent"));

    assertThat(Measurement.read(file)).isEqualTo(measurement());
  }

  @Test
  void shouldReadFileWithoutOriginOfRuns() throws Exception {
    Path file = folder.resolve("old.json");
    measurement().write(file);
    String text = Files.readString(file);
    String old = text.replaceAll(",\\s*\"origin\" : null", "");
    assertThat(old).isNotEqualTo(text).doesNotContain("origin");
    Files.writeString(file, old);

    assertThat(Measurement.read(file)).isEqualTo(measurement());
  }

  @Test
  void shouldKeepOriginOfRuns() throws Exception {
    Path file = folder.resolve("ab.json");
    RunOrigin origin = new RunOrigin("test", "a", 3, 2, true, "process 7");
    Measurement without = measurement();
    MeasuredRun run = without.runs().get(0).with(5, origin);
    Measurement with =
        new Measurement(
            without.format(),
            without.simulation(),
            without.startedAt(),
            without.command(),
            without.parameters(),
            without.machine(),
            without.versions(),
            without.clock(),
            List.of(run));
    with.write(file);

    assertThat(Measurement.read(file).runs().get(0).origin()).isEqualTo(origin);
    assertThat(Measurement.read(file).runs().get(0).process()).isEqualTo("process 7");
  }

  @Test
  void shouldNameInvalidFile() throws Exception {
    Path file = folder.resolve("other.json");

    Files.writeString(file, "{\"format\":1,");
    assertThatThrownBy(() -> Measurement.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("other.json: invalid measurement");

    Files.writeString(file, "");
    assertThatThrownBy(() -> Measurement.read(file)).hasMessageContaining("the file is empty");

    Files.writeString(file, "{\"format\":1}");
    assertThatThrownBy(() -> Measurement.read(file)).hasMessageContaining("simulation");
  }

  @Test
  void shouldRejectOtherFormat() throws Exception {
    Path file = folder.resolve("ticker.json");
    measurement().write(file);
    Files.writeString(file, Files.readString(file).replace("\"format\" : 1", "\"format\" : 2"));

    assertThatThrownBy(() -> Measurement.read(file)).hasMessageContaining("format 2; expected 1");
  }

  @Test
  void shouldRejectEmptyAndInvalidHistogram() {
    assertThatThrownBy(() -> Latencies.of(new Histogram(3), 0, 0))
        .hasMessage("an empty histogram has no percentiles");
    Latencies broken = new Latencies(1, 0, 0, 1, 1, 1, 1, 1, 1, "no histogram");
    assertThatThrownBy(broken::unpack)
        .hasMessage("invalid histogram: expected HdrHistogram's compressed encoding in base64");
  }

  private static Measurement measurement() {
    Histogram histogram = new Histogram(3);
    histogram.recordValue(100);
    histogram.recordValue(200);
    histogram.recordValue(300);
    Latencies latencies = Latencies.of(histogram, 0, 100);
    ClientResult client = new ClientResult(0, "stocks.0", 3, 0, 0, 0, 0, 0, latencies, latencies);
    MeasuredRun run =
        new MeasuredRun(
            1,
            new LoadProfile(1, 1, 1, 10, 512),
            Instant.parse("2026-01-01T00:00:00Z"),
            5,
            true,
            30,
            List.of(client),
            null,
            List.of(new Second(0, 3, 200, 200, 300, 300)),
            List.of(new Event(0.5, "collection", "12 ms")),
            List.of(new GatewaySample(1, 0.5, 1, 2, 3, 4, 5, 6, 7, 0.1)),
            new LoadGeneratorResult(1, 2, 3, 0, 0, 0, 0.25),
            null);
    return new Measurement(
        Measurement.FORMAT,
        "Ticker",
        Instant.parse("2026-01-01T00:00:00Z"),
        "mvn",
        Map.of("clients", "1"),
        new MachineDescription("Linux", "some", 2, 1 << 30),
        Map.of("gateway", "0.1.0"),
        new ClockOffset(12.5, 3),
        List.of(run));
  }
}
