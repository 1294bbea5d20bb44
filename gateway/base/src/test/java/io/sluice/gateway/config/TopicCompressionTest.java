package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TopicCompressionTest {
  @TempDir private Path folder;

  private static List<String> alone(String... elements) {
    return TopicCompression.alone(
        Config.defaults().with(TopicSettings.TOPIC_COMPRESSION, List.of(elements)));
  }

  private List<String> problems(String text) throws IOException {
    Path file = folder.resolve("sluice.yaml");
    Files.writeString(file, "broker.url: tcp://localhost:1\nauth.anonymous: true\n" + text);
    return FoundProblems.of(ConfigFile.read(file, Map.<String, String>of()::get)).stream()
        .map(problem -> problem.key() + ": " + problem.what())
        .toList();
  }

  @Test
  void shouldReadThePatterns() throws IOException {
    assertThat(alone()).isEmpty();
    assertThat(alone("a.*=alone", "b.>=alone", "c=d=alone")).containsExactly("a.*", "b.>", "c=d");
    assertThat(problems("topics.compression: ['a.*=alone', 'b.>=alone']")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"stocks.>", "=alone", "a=", "a=file", "a=alone "})
  void shouldRejectOtherElements(String element) throws IOException {
    String problem = "topics.compression: \"" + element + "\" is not of the form pattern=alone";
    assertThat(problems("topics.compression: ['" + element + "']")).containsExactly(problem);
    assertThatThrownBy(() -> alone("b=alone", element)).hasMessage(problem);
  }

  @Test
  void shouldReportPatterns() throws IOException {
    assertThat(problems("topics.compression: ['a.>=alone', 'a.>=alone']"))
        .containsExactly("topics.compression: contains the pattern \"a.>\" twice");
    assertThat(problems("topics.compression: ['a..b=alone']"))
        .singleElement()
        .asString()
        .contains("level 2");
  }

  @Test
  void shouldReportThatCompressionIsDisabled() throws IOException {
    assertThat(problems("server.compression: false\ntopics.compression: ['a=alone']"))
        .singleElement()
        .asString()
        .startsWith("topics.compression: has no effect without server.compression");
  }
}
