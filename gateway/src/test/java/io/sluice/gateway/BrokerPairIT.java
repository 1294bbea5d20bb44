package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.testkit.ArtemisPair;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A node at a primary broker and its backup, of which one serves after the other. */
@Timeout(180)
final class BrokerPairIT {
  @TempDir private Path folder;

  private Config config(ArtemisPair pair) {
    return TestNode.config("artemis", pair.url())
        .with(BrokerSettings.CLIENT_ID, "pair-it")
        .with(BrokerSettings.DURABLE, List.of("orders.>"))
        .with(HistorySettings.JOURNAL_FOLDER, folder.resolve("journal").toString())
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(200))
        .with(HistorySettings.RESUME_SPREAD, Duration.ofMillis(200));
  }

  static Stream<String> ends() {
    return TestScope.cases(1, "killed", "stopped");
  }

  @ParameterizedTest
  @MethodSource("ends")
  void shouldFollowThePrimaryToItsBackupAndBack(String how) throws Exception {
    Consumer<ArtemisPair> end =
        how.equals("killed") ? ArtemisPair::killPrimary : ArtemisPair::stopPrimary;
    try (ArtemisPair pair = ArtemisPair.start(folder.resolve("pair"));
        TestNode node = TestNode.start(config(pair));
        RawWebSocket kept = node.json();
        RawWebSocket passing = node.json()) {
      node.awaitReady();
      kept.subscribe(1, "orders.7");
      passing.subscribe(1, "prices.7");
      publish(pair, "1");
      assertThat(kept.payloads(1)).containsExactly("1");
      assertThat(passing.payloads(1)).containsExactly("1");

      end.accept(pair);
      follow(pair, kept, passing, "2");

      pair.startPrimary();
      follow(pair, kept, passing, "3");
    }
  }

  private static void follow(
      ArtemisPair pair, RawWebSocket kept, RawWebSocket passing, String payload) throws Exception {
    List<String> durable = typesUntil(kept, "live");
    List<String> seen = typesUntil(passing, "live");
    publish(pair, payload);
    durable.addAll(typesUntil(kept, "message"));
    seen.addAll(typesUntil(passing, "message"));
    assertThat(durable).as("the broker has kept all").contains("stale").doesNotContain("gap");
    assertThat(seen).as("some may have been missed").containsSubsequence("stale", "gap", "message");
  }

  private static void publish(ArtemisPair pair, String payload) throws JMSException {
    try (TestPublisher publisher = new TestPublisher("artemis", pair.url()).persistent()) {
      publisher.text("orders.7", payload);
      publisher.text("prices.7", payload);
    }
  }

  private static List<String> typesUntil(RawWebSocket client, String type) {
    List<String> types = new ArrayList<>();
    do {
      JsonNode frame = client.readJson();
      types.add(frame.get("type").asText());
    } while (!types.get(types.size() - 1).equals(type));
    return types;
  }
}
