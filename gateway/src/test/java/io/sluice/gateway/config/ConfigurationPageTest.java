package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ConfigurationPageTest {
  private static final Path PAGE = Path.of("..", "docs", "CONFIGURATION.md");

  @Test
  void shouldDocumentEverySetting() throws IOException {
    if ("write".equals(System.getProperty("sluice.docs"))) {
      Files.writeString(PAGE, ConfigurationPage.text());
    }
    assertThat(PAGE)
        .as("docs/CONFIGURATION.md differs from Settings; -Dsluice.docs=write writes it anew")
        .hasContent(ConfigurationPage.text());
  }

  @Test
  void shouldHaveAnExampleWithoutProblems() {
    String page = ConfigurationPage.text();
    String begin = "```yaml\n";
    int start = page.indexOf(begin) + begin.length();
    String example = page.substring(start, page.indexOf("```", start));
    assertThat(AllRules.problems(ConfigFile.parse("example", example, name -> "secret"))).isEmpty();
  }
}
