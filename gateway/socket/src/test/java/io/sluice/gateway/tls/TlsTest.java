package io.sluice.gateway.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.testkit.TestAuthority;
import io.sluice.testkit.TestCertificate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TlsTest {
  @TempDir private Path folder;

  @Test
  void shouldFreeAReplacedContextWithItsLastConnection() throws Exception {
    TestCertificate first = TestCertificate.create(folder, "first", "EC");
    TestCertificate second = TestCertificate.create(folder, "second", "EC");
    Config config =
        Config.defaults()
            .with(ServerSettings.TLS_CERTIFICATE, first.certificate().toString())
            .with(ServerSettings.TLS_KEY, first.key().toString())
            .with(ServerSettings.TLS_ENGINE, "openssl");
    SslContext last;
    try (Exposition exposition = new Exposition("tls-test");
        GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
        Tls tls = Tls.open(TlsOptions.of(config)).orElseThrow()) {
      SslContext before = tls.context();
      SSLEngine connection = tls.newEngine(ByteBufAllocator.DEFAULT, Runnable::run);
      tls.reload(metrics);
      assertThat(tls.context()).as("nothing has changed").isSameAs(before);
      replace(first.certificate(), second.certificate());
      replace(first.key(), second.key());
      tls.reload(metrics);
      assertThat(tls.context()).isNotSameAs(before);
      assertThat(ReferenceCountUtil.refCnt(before)).isEqualTo(1);
      ReferenceCountUtil.release(connection);
      assertThat(ReferenceCountUtil.refCnt(before)).isZero();
      last = tls.context();
    }
    assertThat(ReferenceCountUtil.refCnt(last)).as("after the node").isZero();
  }

  /** A resumed session is not checked. With another context no session can be resumed. */
  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldDiscardSessionsWhenARevocationListExpires(String engine) throws Exception {
    TestAuthority authority = TestAuthority.create(folder, engine);
    TestAuthority.Issued own = authority.issue("node", "CN=node");
    Path list = folder.resolve("list.crl");
    authority.revoke(list);
    Config config =
        Config.defaults()
            .with(ServerSettings.TLS_CERTIFICATE, own.certificate().toString())
            .with(ServerSettings.TLS_KEY, own.key().toString())
            .with(ServerSettings.TLS_CLIENT_AUTH, "required")
            .with(ServerSettings.TLS_CLIENT_CA, authority.certificate().toString())
            .with(ServerSettings.TLS_CLIENT_CRL, list.toString())
            .with(ServerSettings.TLS_ENGINE, engine);
    AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
    try (Exposition exposition = new Exposition("tls-test");
        GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
        Tls tls = Tls.open(TlsOptions.of(config), now::get).orElseThrow()) {
      SslContext before = tls.context();
      tls.reload(metrics);
      assertThat(tls.context()).isSameAs(before);
      Instant end = now.get().plus(90, ChronoUnit.DAYS); // keytool's own limit
      now.set(end.plus(10, ChronoUnit.MINUTES));
      tls.reload(metrics);
      assertThat(tls.context()).as("the JDK still believes it").isSameAs(before);
      now.set(end.plus(20, ChronoUnit.MINUTES));
      tls.reload(metrics);
      SslContext after = tls.context();
      assertThat(after).isNotSameAs(before);
      tls.reload(metrics);
      assertThat(tls.context()).as("once is enough").isSameAs(after);
    }
  }

  @Test
  void shouldNotStartWithoutTheConfiguredEngine() throws Exception {
    Throwable missing = new UnsatisfiedLinkError("no library");
    assertThatThrownBy(() -> Tls.provider("openssl", missing))
        .isInstanceOf(UnusableTls.class)
        .hasMessageStartingWith("server.tls.engine: the native library does not load")
        .hasCause(missing);
    assertThat(Tls.provider("auto", missing)).isEqualTo(SslProvider.JDK);
    assertThat(Tls.provider("auto", null)).isEqualTo(SslProvider.OPENSSL_REFCNT);
  }

  private static void replace(Path file, Path by) throws Exception {
    Files.copy(by, file, StandardCopyOption.REPLACE_EXISTING);
  }
}
