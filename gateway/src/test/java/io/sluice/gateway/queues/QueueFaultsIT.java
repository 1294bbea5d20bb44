package io.sluice.gateway.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.EachBroker;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Clients on two nodes consume a queue while clients, nodes and the broker are killed in turn. No
 * message may be lost, every duplicate has to be marked as redelivered, and no message may be
 * delivered after its acknowledgement.
 */
@Timeout(3_600)
final class QueueFaultsIT {
  private static final Logger log = LoggerFactory.getLogger(QueueFaultsIT.class);
  private static final int FEW = 4_000;
  private static final int FEW_CLIENTS = 4;
  private static final int CLIENTS = 8;

  /** Number of messages of the long test. */
  private static final int MANY = Integer.getInteger("sluice.queue.messages", 1_000_000);

  /** Kills of each part in the long test. */
  private static final int ROUNDS = Integer.getInteger("sluice.queue.rounds", 20);

  /** Minimum number of messages per kill of each part. */
  private static final int MIN_PHASE = 20_000;

  /** Settlements between two kills. */
  private static final int SETTLED = 2_000;

  @TempDir private Path folder;

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldLoseNothingAndMarkDuplicatesWhenEachPartIsKilledOnce(String provider)
      throws Exception {
    try (QueueScene scene = QueueScene.start(provider, folder, FEW_CLIENTS)) {
      scene.publishTo(FEW);
      killEach(scene, 0, FEW / 10);
      assertThat(scene.end()).as("violations of %s", scene).isEmpty();
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldLoseNothingAndMarkDuplicatesInLongRun(String provider) throws Exception {
    try (QueueScene scene = QueueScene.start(provider, folder, CLIENTS)) {
      int phase = Math.max(MIN_PHASE, MANY / ROUNDS);
      int published = 0;
      int round = 0;
      for (; published < MANY; round++) {
        published = Math.min(MANY, published + phase);
        scene.publishTo(published);
        killEach(scene, round, SETTLED);
      }
      log.atInfo().addKeyValue("rounds", round).addKeyValue("result", scene).log("queue.faults");
      assertThat(scene.end()).as("violations of %s", scene).isEmpty();
    }
  }

  private static void killEach(QueueScene scene, int round, int messages) throws Exception {
    scene.awaitSettled(messages);
    scene.replaceClient(round);
    scene.awaitSettled(messages);
    scene.node(round % 2).kill();
    scene.awaitSettled(messages);
    scene.node(round % 2).restart();
    scene.awaitSettled(messages);
    scene.broker().kill();
    scene.broker().restart();
    scene.awaitSettled(messages);
  }
}
