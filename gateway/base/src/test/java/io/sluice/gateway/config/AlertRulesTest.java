package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the rules for the page of firing alerts. */
final class AlertRulesTest {
  @TempDir private Path folder;

  private List<String> problems(String url) throws IOException {
    return FoundProblems.of(folder, "auth.anonymous: true\nadmin.alerts-url: '" + url + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "https://a.example/", "http://a:9093/#/alerts?silenced=false"})
  void shouldAcceptPages(String url) throws IOException {
    assertThat(problems(url)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a:9093", "/alerts", "javascript:alert(1)", "ftp://a/", "http://", "http://a b/"})
  void shouldReportOtherTexts(String url) throws IOException {
    assertThat(problems(url))
        .contains(
            "admin.alerts-url: \"" + url + "\" is not an http or https URL without user info");
  }

  @Test
  void shouldNotRepeatAPassword() throws IOException {
    assertThat(problems("https://ops:secret@a/"))
        .contains(
            "admin.alerts-url: \"https://***@a/\" is not an http or https URL without user info");
  }
}
