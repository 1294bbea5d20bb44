package io.sluice.gateway.dictionary;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigDraft;
import io.sluice.gateway.config.ConfigFile;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.protocol.dictionary.Dictionary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DictionariesTest {
  @TempDir private Path folder;

  private Path file(String name, byte[] content) throws IOException {
    return Files.write(folder.resolve(name), content);
  }

  private static Dictionaries read(List<String> elements) throws UnusableDictionary {
    return CompressionRules.dictionaries(
        Config.defaults().with(TopicSettings.TOPIC_COMPRESSION, elements));
  }

  private List<String> problems(List<String> elements, String more) throws IOException {
    Path config = folder.resolve("sluice.yaml");
    Files.writeString(
        config,
        elements.stream()
            .map(element -> "    - '" + element + "'\n")
            .reduce("topics:\n  compression:\n", String::concat)
            .concat(more));
    ConfigDraft draft = ConfigFile.read(config, name -> null);
    ConfigFindings findings = new ConfigFindings(draft);
    CompressionRules.check(findings);
    return findings.problems().stream().map(Object::toString).toList();
  }

  private List<String> problems(String... elements) throws IOException {
    return problems(List.of(elements), "");
  }

  @Test
  void shouldSelectTheFirstPatternThatCovers() throws Exception {
    Path one = file("one", new byte[] {1});
    Path two = file("two", new byte[] {2});
    Path same = file("same", new byte[] {1});
    Dictionaries read =
        read(List.of("stocks.7=" + one, "stocks.*=" + two, "books.>=" + same, "stocks.>=" + one));
    assertThat(read.of("stocks.7").bytes()).containsExactly(1);
    assertThat(read.of("stocks.8").bytes()).containsExactly(2);
    assertThat(read.of("stocks.*").bytes()).containsExactly(2);
    assertThat(read.of("stocks.>").bytes()).containsExactly(1);
    assertThat(read.of("books.1")).isSameAs(read.of("stocks.7"));
    assertThat(read.of("other")).isNull();
    assertThat(read.of(">")).isNull();
  }

  @Test
  void shouldIdentifyDictionariesByHash() throws Exception {
    Dictionaries read =
        read(List.of("a=" + file("a", new byte[] {1}), "b=" + file("b", new byte[] {2})));
    String second = Dictionary.hash(new byte[] {2});
    assertThat(second).isEqualTo("dbc1b4c900ffe48d575b5da5c6380401");
    assertThat(read.withHash(second)).isSameAs(read.of("b"));
    assertThat(read.withHash("unknown")).isNull();
    assertThat(read.bits(List.of("unknown", second))).isEqualTo(2);
    assertThat(read.bits(List.of(second, Dictionary.hash(new byte[] {1})))).isEqualTo(3);
  }

  @Test
  void shouldAcceptTheLargestFile() throws Exception {
    Path most = file("most", new byte[Dictionary.MAX_BYTES]);
    assertThat(problems("a=" + most)).isEmpty();
    assertThat(read(List.of("a=" + most)).of("a").bytes()).hasSize(Dictionary.MAX_BYTES);
  }

  @Test
  void shouldNameTheProblemOfAFile() throws Exception {
    Path large = file("large", new byte[Dictionary.MAX_BYTES + 1]);
    Path empty = file("empty", new byte[0]);
    Path missing = folder.resolve("missing");
    check("a=" + large, "file \"" + large + "\" of \"a\" has more than 32768 bytes");
    check("a=" + empty, "file \"" + empty + "\" of \"a\" is empty");
    check(
        "a=" + missing, "file \"" + missing + "\" of \"a\" cannot be read: there is no such file");
    check("a=" + folder, "file \"" + folder + "\" of \"a\" cannot be read: it is a folder");
    check("stocks.>", "\"stocks.>\" is not of the form pattern=alone or pattern=file");
    check("=file", "\"=file\" is not of the form pattern=alone or pattern=file");
    check("a=", "\"a=\" is not of the form pattern=alone or pattern=file");
  }

  private void check(String element, String problem) throws IOException {
    assertThat(problems(element))
        .singleElement()
        .asString()
        .contains("sluice.yaml:3", "topics.compression", problem);
    assertThatThrownBy(() -> read(List.of(element)))
        .isInstanceOf(UnusableDictionary.class)
        .hasMessage("topics.compression: " + problem);
  }

  @Test
  void shouldReportPatterns() throws IOException {
    Path file = file("one", "x".getBytes(UTF_8));
    assertThat(problems("stocks.>=" + file, "stocks.>=" + file))
        .singleElement()
        .asString()
        .contains("contains the pattern \"stocks.>\" twice");
    assertThat(problems("a..b=" + file)).singleElement().asString().contains("level 2");
  }

  @Test
  void shouldLimitTheirNumber() throws Exception {
    Path file = file("one", "x".getBytes(UTF_8));
    List<String> most = IntStream.range(0, 16).mapToObj(i -> "t" + i + "=" + file).toList();
    List<String> more = IntStream.range(0, 17).mapToObj(i -> "t" + i + "=" + file).toList();
    assertThat(problems(most, "    - 'b=alone'\n")).isEmpty();
    assertThat(read(most).of("t15")).isNotNull();
    assertThat(problems(more, ""))
        .singleElement()
        .asString()
        .contains("has 17 dictionaries; at most 16 are allowed");
    assertThatThrownBy(() -> read(more))
        .hasMessage("topics.compression: has 17 dictionaries; at most 16 are allowed");
  }

  @Test
  void shouldReportThatCompressionIsDisabled() throws IOException {
    Path file = file("one", "x".getBytes(UTF_8));
    assertThat(problems(List.of("a=" + file), "server:\n  compression: false\n"))
        .singleElement()
        .asString()
        .contains("has no effect without server.compression");
  }

  @Test
  void shouldSelectTheTopicsThatAreCompressedAlone() throws Exception {
    Path file = file("one", "x".getBytes(UTF_8));
    List<String> elements = List.of("a.*=alone", "b=" + file, "c=./alone");
    Config config = Config.defaults().with(TopicSettings.TOPIC_COMPRESSION, elements);
    assertThat(CompressionRules.alone(config)).containsExactly("a.*");
    assertThat(problems("a.*=alone", "b=" + file)).isEmpty();
    assertThat(read(List.of("a.*=alone", "b=" + file)).of("a.1")).isNull();
  }
}
