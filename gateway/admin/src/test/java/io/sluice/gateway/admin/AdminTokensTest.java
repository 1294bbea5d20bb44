package io.sluice.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.FoundProblems;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AdminTokensTest {
  private static final String TOKEN = "0123456789abcdef";

  @TempDir private Path folder;

  private static List<String> problems(String text) {
    ConfigFindings findings = FoundProblems.reading(text);
    AdminTokens.check(findings);
    return findings.problems().stream()
        .map(problem -> problem.key() + ": " + problem.what())
        .toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "admin.token: 0123456789abcde | admin.token: a token of 15 characters is too short",
        "admin.token: 0123456789abcdeé | admin.token: a token has a character that is not plain"
            + " ASCII",
        "admin.token: '0123456789 abcdef' | admin.token: a token has a character that is not plain"
            + " ASCII",
      })
  void shouldReportTheErrorWithoutTheToken(String text, String problem) {
    assertThat(problems(text)).containsExactly(problem);
  }

  @Test
  void shouldCheckEachTokenOfTheFile() throws IOException {
    Path tokens = Files.writeString(folder.resolve("tokens"), TOKEN + "\n\nshort\n");

    assertThat(problems("admin.token-file: " + tokens))
        .containsExactly(
            "admin.token-file: " + tokens + ", line 3: a token of 5 characters is too short");
  }

  @Test
  void shouldRefuseAFileOfTokensThatIsEmptyOrTooLargeOrMissing() throws IOException {
    Path empty = Files.writeString(folder.resolve("empty"), "\n \n");
    Path large = Files.writeString(folder.resolve("large"), "x".repeat(AdminTokens.MAX_BYTES + 1));

    assertThat(problems("admin.token-file: " + empty).get(0)).endsWith("contains no token");
    assertThat(problems("admin.token-file: " + large).get(0)).endsWith("has more than 65536 bytes");
    assertThat(problems("admin.token-file: " + folder.resolve("none")).get(0))
        .contains("cannot be read");
  }
}
