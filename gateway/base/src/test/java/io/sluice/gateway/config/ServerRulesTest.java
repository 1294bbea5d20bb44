package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules of both ports. */
final class ServerRulesTest {
  private static final String TOKEN = "0123456789abcdef";

  @TempDir private Path folder;

  private List<String> problems(String text) throws IOException {
    Path file = folder.resolve("sluice.yaml");
    Files.writeString(file, "broker.url: tcp://localhost:1\nauth.anonymous: true\n" + text);
    return FoundProblems.of(ConfigFile.read(file, Map.<String, String>of()::get)).stream()
        .map(problem -> problem.key() + ": " + problem.what())
        .toList();
  }

  /** A browser shows the certificate for whichever page connects. */
  @ParameterizedTest
  @ValueSource(strings = {"optional", "required"})
  void shouldRejectCertificatesFromAnyOrigin(String wanted) throws IOException {
    String reason =
        " allows any page to connect with a visitor's certificate (server.tls.client-auth)";
    String problem = "server.allowed-origins: *" + reason;
    String setting = "server.tls.client-auth: " + wanted + "\nserver.allowed-origins: ";

    assertThat(problems(setting + "['*']")).contains(problem);
    assertThat(problems(setting + "[https://ours.example, '*']")).contains(problem);
    assertThat(problems(setting + "['null']")).contains("server.allowed-origins: null" + reason);
    assertThat(problems(setting + "[https://ours.example]")).doesNotContain(problem);
    assertThat(problems(setting + "[]")).doesNotContain(problem);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "server.tls.client-auth: none\n"})
  void shouldAcceptAnyOriginWithoutClientCertificates(String setting) throws IOException {
    assertThat(problems(setting + "server.allowed-origins: ['*']")).isEmpty();
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
  void shouldAcceptAProtectedOrLocalAdminPort(String text) throws IOException {
    assertThat(problems(text)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "10.0.0.1", "admin.example", "127.0.0.1.example"})
  void shouldRefuseAnOpenAdminPortWithinReach(String host) throws IOException {
    assertThat(problems("admin.host: '" + host + "'"))
        .containsExactly(
            "admin.host: \""
                + host
                + "\" is reachable by other machines, but no admin token is configured");
  }
}
