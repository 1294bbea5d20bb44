package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.testkit.TestCertificate;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExpiredCertificatesTest {
  @TempDir private Path folder;

  @Test
  void shouldFindCertificatesOutsideTheirTerm() {
    String file = TestCertificate.create(folder, "a", "EC").certificate().toString();
    Config config =
        Config.defaults()
            .with(ServerSettings.TLS_CERTIFICATE, file)
            .with(LinkSettings.TRUST, file)
            .with(ServerSettings.TLS_CLIENT_CA, "/no/such/file");
    Instant now = Instant.now();

    assertThat(ExpiredCertificates.of(config, now.plus(Duration.ofDays(1)))).isEmpty();
    assertThat(ExpiredCertificates.of(config, now.plus(Duration.ofDays(31))))
        .hasSize(2)
        .anySatisfy(
            each ->
                assertThat(each)
                    .startsWith("server.tls.certificate: CN=localhost in " + file + " expired at "))
        .anySatisfy(each -> assertThat(each).startsWith("links.trust: "));
    assertThat(ExpiredCertificates.of(config, now.minus(Duration.ofDays(2))))
        .allSatisfy(each -> assertThat(each).contains(" is not valid before "));
  }
}
