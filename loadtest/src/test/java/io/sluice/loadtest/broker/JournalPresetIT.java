package io.sluice.loadtest.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.loadtest.broker.provider.BrokerTarget;
import io.sluice.loadtest.broker.provider.JmsProvider;
import io.sluice.loadtest.broker.result.BrokerMeasurement;
import io.sluice.loadtest.broker.result.CaseResult;
import io.sluice.loadtest.broker.workload.Persistence;
import io.sluice.loadtest.broker.workload.Preset;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalPresetIT {
  @TempDir private Path folder;

  @Tag("full")
  @Test
  void shouldStartBrokerPerRunAndMeasureDisk() throws Exception {
    BrokerTarget target =
        new BrokerTarget(JmsProvider.ARTEMIS, "", "", "", "", "bench", false, Map.of(), "", null);

    BrokerMeasurement measurement =
        new BrokerBench(
                Preset.JOURNAL,
                workload -> workload,
                Persistence.Choice.PERSISTENT,
                List.of(),
                "zeros, no sync",
                folder,
                Duration.ofMillis(1),
                target,
                BenchScene.someMessages(2),
                line -> {})
            .run("");

    assertThat(measurement.results())
        .allSatisfy(BenchScene::assertComplete)
        .extracting(CaseResult::name)
        .containsExactly("Classic zeros, no sync");
    assertThat(measurement.disk()).hasSize(2);
    assertThat(measurement.versions()).containsKey("file system");
    assertThat(measurement.versions().get("disk"))
        .contains(measurement.versions().get("file system"));
    assertThat(measurement.toText()).startsWith("Disk: ");
    assertThat(measurement.journals()).containsOnlyKeys("Classic zeros, no sync");
    assertThat(measurement.journals().get("Classic zeros, no sync").before()).isPositive();
    assertThat(measurement.journals().get("Classic zeros, no sync").created()).isZero();
    assertThat(folder).isEmptyDirectory();
  }
}
