package io.sluice.gateway.streams.route;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the names of topics in URLs. */
final class TopicUrlTest {
  @ParameterizedTest
  @CsvSource({
    "/topics/stocks.7, stocks.7",
    "/topics/stocks.*, stocks.*",
    "/topics/stocks.%3E, stocks.>",
    "/topics/a%2Fb, a/b",
    "/topics/a+b, a+b",
    "/topics/%E2%82%AC, €",
    "/topics, ''",
    "/topics/, ''",
  })
  void shouldDecodeTheNameInAPath(String path, String name) {
    assertThat(TopicPath.name(TopicPath.TOPICS, path)).isEqualTo(name);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/topics/a/b",
        "/topics//",
        "/topics/%",
        "/topics/%4",
        "/topics/%G0",
        "/topics/%FF"
      })
  void shouldRefuseAnotherPath(String path) {
    assertThat(TopicPath.name(TopicPath.TOPICS, path)).isNull();
  }

  @Test
  void shouldDistinguishPathsWithTheSameBeginning() {
    assertThat(TopicPath.isBelow(TopicPath.TOPICS, "/topics")).isTrue();
    assertThat(TopicPath.isBelow(TopicPath.TOPICS, "/topics/a")).isTrue();
    assertThat(TopicPath.isBelow(TopicPath.TOPICS, "/topicsa")).isFalse();
    assertThat(TopicPath.isBelow(TopicPath.TOPICS, "/topic")).isFalse();
  }

  @Test
  void shouldDecodeRepeatedParameters() {
    UrlQuery query = UrlQuery.of("topic=a.b&live&topic=c%2Ed+e&=x&offset=");
    assertThat(query.all("topic")).containsExactly("a.b", "c.d e");
    assertThat(query.first("live")).isEmpty();
    assertThat(query.first("offset")).isEmpty();
    assertThat(query.has("live")).isTrue();
    assertThat(query.first("other")).isNull();
    assertThat(UrlQuery.of(null).has("topic")).isFalse();
    assertThat(UrlQuery.of("topic=%FF")).isNull();
    assertThat(UrlQuery.of("%=a")).isNull();
  }
}
