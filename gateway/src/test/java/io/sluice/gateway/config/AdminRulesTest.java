package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.auth.AuditEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a configuration of the admin port and the audit log must hold. */
final class AdminRulesTest {
  private static final String TOKEN = "0123456789abcdef";

  @TempDir private Path folder;

  private List<String> problems(String text) throws IOException {
    return FoundProblems.of(folder, "auth.anonymous: true\n" + text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "admin.host: localhost",
        "admin.host: '::1'",
        "admin.host: 0.0.0.0\nadmin.token: " + TOKEN,
        "admin.host: 0.0.0.0\nadmin.metrics-open: true",
      })
  void shouldTakeAnAdminPortThatIsLockedOrOutOfReach(String text) throws IOException {
    assertThat(problems(text)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "10.0.0.1", "admin.example", "127.0.0.1.example"})
  void shouldRefuseAnOpenAdminPortWithinReach(String host) throws IOException {
    assertThat(problems("admin.host: '" + host + "'"))
        .containsExactly(
            "admin.host: \""
                + host
                + "\" can be reached by others, and the admin port asks for no token");
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
        "audit.events: [conected] | audit.events: \"conected\" is unknown; did you mean connected?",
      })
  void shouldNameWhatIsWrongAndNothingOfTheToken(String text, String problem) throws IOException {
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
    Path large = Files.writeString(folder.resolve("large"), "x".repeat(AdminTokens.MOST_BYTES + 1));

    assertThat(problems("admin.token-file: " + empty).get(0)).endsWith("holds no token");
    assertThat(problems("admin.token-file: " + large).get(0)).endsWith("has more than 65536 bytes");
    assertThat(problems("admin.token-file: " + folder.resolve("none")).get(0))
        .contains("cannot be read");
  }

  @Test
  void shouldKnowAllEventsOfTheAuditLog() {
    assertThat(AdminRules.AUDIT_EVENTS)
        .containsExactlyElementsOf(Stream.of(AuditEvent.values()).map(AuditEvent::word).toList());
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, true", "127.9.9.9, true", "localhost, true", "LOCALHOST, true", "::1, true",
    "[::1], true", "0:0:0:0:0:0:0:1, true", "0.0.0.0, false", "::, false", "10.0.0.1, false",
    "127.0.0.1.evil.example, false", "localhost.evil.example, false", "'', false", "::2, false",
  })
  void shouldTellLoopbackAddresses(String host, boolean loopback) {
    assertThat(Loopback.is(host)).isEqualTo(loopback);
  }
}
