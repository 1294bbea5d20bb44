package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SettingFileTest {
  @TempDir private Path folder;

  private SettingFile file(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("password"), text);
    return new SettingFile(BrokerSettings.PASSWORD_FILE, file.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {" p ä$ss", " p ä$ss\n", " p ä$ss\r\n"})
  void shouldReadTheLineWithoutItsEnd(String text) throws IOException {
    assertThat(file(text).read()).isEqualTo(" p ä$ss");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "secret\nsecret", "secret\n\n"})
  void shouldRejectSeveralLinesWithoutRevealingThem(String text) throws IOException {
    SettingFile file = file(text);
    assertThatThrownBy(file::read)
        .hasMessageStartingWith("broker.password-file: " + file.name() + " has ")
        .hasMessageEndingWith(" lines; expected one line that is not empty")
        .hasMessageNotContaining("secret");
  }

  @Test
  void shouldRefuseALongLine() throws IOException {
    assertThat(file("x".repeat(SettingFile.MAX_BYTES)).read()).hasSize(SettingFile.MAX_BYTES);
    assertThatThrownBy(file("x".repeat(SettingFile.MAX_BYTES + 1))::read)
        .hasMessageEndingWith("password has more than 4096 bytes");
  }

  @Test
  void shouldReportAMissingFile() {
    SettingFile none = new SettingFile(BrokerSettings.USER_FILE, folder.resolve("none").toString());
    assertThatThrownBy(none::read)
        .hasMessage("broker.user-file: " + none.name() + " does not exist");
  }

  @Test
  void shouldReportValueAndFileTogether() throws IOException {
    file("secret");
    assertThat(problems("broker: {password: x, password-file: " + folder.resolve("password") + "}"))
        .containsExactly(
            "broker.password-file: is set together with broker.password; expected one of the two");
    assertThat(problems("broker.user-file: " + folder.resolve("none")))
        .containsExactly(
            "broker.user-file: "
                + folder.resolve("none")
                + " does not exist; expected a file with one line");
  }

  private static List<String> problems(String text) {
    ConfigFindings findings = FoundProblems.reading(text);
    findings.checkFileOrValue(BrokerSettings.USER_FILE, BrokerSettings.USER);
    findings.checkFileOrValue(BrokerSettings.PASSWORD_FILE, BrokerSettings.PASSWORD);
    return findings.problems().stream()
        .map(Problem::toString)
        .map(problem -> problem.replaceFirst("^f:\\d+:\\d+: ", ""))
        .toList();
  }

  @Test
  void shouldMaskSecretsInAUrl() {
    assertThat(ServiceUrl.masked("failover:(ssl://u:p@a:1?x.keyStorePassword=k&b=c,ssl://d:2)"))
        .isEqualTo("failover:(ssl://***@a:1?x.keyStorePassword=***&b=c,ssl://d:2)");
    assertThat(ServiceUrl.brokerProblem("artemis", "tcp://user:secret@host").orElseThrow())
        .doesNotContain("secret");
    assertThat(ServiceUrl.brokerProblem("artemis", "http://user:secret@host:1").orElseThrow())
        .doesNotContain("secret");
  }
}
