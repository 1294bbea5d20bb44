package io.sluice.gateway.protocol.value;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.Modules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Only known files contain pieces of JSON: all others write it by {@link JsonText}. */
final class JsonSourceTest {
  /** The end of a name in a string literal. */
  private static final Pattern NAME = Pattern.compile("\"[^\"]*\\\\\":");

  private static final Set<String> KNOWN =
      Set.of(
          // Hot path: constant names around numbers and texts that JsonText has escaped.
          "Channel.java",
          "DurableEventText.java",
          "EventData.java",
          "FrameTag.java",
          "MessageEncoder.java",
          "MessageRecord.java",
          // Search in JSON that others have written.
          "SessionEnd.java",
          "TracedConnection.java",
          "Tracing.java",
          // Examples in errors and descriptions.
          "BadFrame.java",
          "ClusterPages.java",
          "ClientActions.java",
          "KafkaPublisher.java",
          "LeafPublishes.java",
          "MessageComposer.java",
          "NatsComposer.java",
          "PresenceMembers.java",
          "PublishMembers.java",
          "Publishing.java",
          "SessionPolicy.java",
          "Sources.java",
          "StructuredBody.java",
          "SubscribeMembers.java",
          "TopicSettings.java",
          "Transacting.java",
          // Frames and payloads without texts from outside.
          "ProviderContract.java",
          "PullConsumer.java",
          "Stock.java",
          "TrainingKind.java",
          "TrainingLoad.java");

  @Test
  void shouldConcatenateJsonOnlyInKnownFiles() throws IOException {
    Set<String> found = new TreeSet<>();
    for (Path source : Modules.sources()) {
      try (Stream<Path> files = Files.walk(source)) {
        for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
          if (Files.readString(file).lines().anyMatch(JsonSourceTest::hasJson)) {
            found.add(file.getFileName().toString());
          }
        }
      }
    }
    assertThat(found).contains("MessageEncoder.java").isSubsetOf(KNOWN);
  }

  private static boolean hasJson(String line) {
    return !line.strip().matches("(\\*|//|/\\*).*") && NAME.matcher(line).find();
  }
}
