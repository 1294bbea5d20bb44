package io.sluice.gateway.cli;

import io.sluice.gateway.EachBroker;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** Kills of node and broker under load, without loss for a durable interest. */
@Timeout(600)
final class DurableCrashIT {
  @TempDir private Path folder;

  private DurableScene start(String provider) throws Exception {
    return DurableScene.start(provider, folder, folder.resolve("journal"));
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldLoseNothingAndReportNoGapWhenTheNodeIsKilledRepeatedly(String provider)
      throws Exception {
    try (DurableScene scene = start(provider)) {
      for (int kill = 0; kill < 3; kill++) {
        scene.goOn();
        scene.node().kill();
        scene.goOn();
        scene.node().restart();
        scene.hearMore();
      }
      scene.endWithoutGap();
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldLoseNothingAndReportNoGapWhenTheNodeIsKilledDuringItsRestart(String provider)
      throws Exception {
    try (DurableScene scene = start(provider)) {
      for (int kill = 0; kill < 2; kill++) {
        scene.node().kill();
        scene.node().begin();
        scene.goOn();
      }
      scene.node().awaitReady();
      scene.hearMore();
      scene.endWithoutGap();
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldLoseNothingAndReportNoGapWhenTheBrokerIsKilledRepeatedly(String provider)
      throws Exception {
    try (DurableScene scene = start(provider)) {
      for (int kill = 0; kill < 2; kill++) {
        scene.goOn();
        scene.broker().kill();
        scene.broker().restart();
        scene.hearMore();
      }
      scene.endWithoutGap();
    }
  }

  @Tag("full")
  @Test
  void shouldLoseNothingAndReportNoGapWhenNodeAndBrokerAreKilled() throws Exception {
    killNodeAndBroker("artemis");
  }

  @Tag("full")
  @Test
  void shouldLoseNothingAndReportNoGapWhenNodeAndClassicBrokerAreKilled() throws Exception {
    killNodeAndBroker("classic");
  }

  private void killNodeAndBroker(String provider) throws Exception {
    try (DurableScene scene = start(provider)) {
      scene.goOn();
      scene.node().kill();
      scene.goOn();
      scene.broker().kill();
      scene.broker().restart();
      scene.goOn();
      scene.node().restart();
      scene.hearMore();
      scene.goOn();
      scene.broker().kill();
      scene.node().kill();
      scene.node().begin();
      scene.broker().restart();
      scene.hearMore();
      scene.endWithoutGap();
    }
  }
}
