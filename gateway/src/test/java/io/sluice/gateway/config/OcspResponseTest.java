package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.tls.TestAuthority;
import io.sluice.gateway.tls.TestAuthority.Issued;
import io.sluice.gateway.tls.TestOcsp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OcspResponseTest {
  private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.SECONDS);

  @TempDir private static Path folder;

  private static TestAuthority authority;
  private static Issued first;
  private static Issued second;
  private static List<TlsIdentity> identities;

  private final Path file = folder.resolve("response.der");

  @BeforeAll
  static void create() throws Exception {
    authority = TestAuthority.create(folder, "authority");
    List<String> daysAgo = List.of("-startdate", "-3d");
    first = authority.issue("first", "CN=first", "EC", daysAgo);
    second = authority.issue("second", "CN=second", "EC", daysAgo);
    identities = List.of(identity(first), identity(second));
  }

  private static TlsIdentity identity(Issued certificate) throws UnusableTls {
    return identity(authority.chain(certificate), certificate);
  }

  private static TlsIdentity identity(Path chain, Issued certificate) throws UnusableTls {
    return TlsIdentity.read(
        PemFile.read(ServerSettings.TLS_CERTIFICATE, chain.toString()),
        PemFile.read(ServerSettings.TLS_KEY, certificate.key().toString()));
  }

  private OcspResponse read() throws UnusableTls {
    return OcspResponse.read(file.toString(), identities);
  }

  private void assertRefused(String what) {
    assertThatThrownBy(this::read)
        .isInstanceOf(UnusableTls.class)
        .hasMessage("server.tls.ocsp-responses: " + file + " " + what);
  }

  @Test
  void shouldFindTheCertificateThatItIsFor() throws Exception {
    TestOcsp.good(authority, second).lasting(NOW.minusSeconds(60), NOW.plusSeconds(60)).write(file);
    OcspResponse response = read();
    assertThat(response.owner()).isSameAs(identities.get(1));
    assertThat(response.der()).isEqualTo(Files.readAllBytes(file));
    assertThat(response.end()).isEqualTo(NOW.plusSeconds(60));
    assertThat(response.holdsAt(NOW)).isTrue();
    assertThat(response.holdsAt(NOW.plusSeconds(60))).isFalse();
    assertThat(response.holdsAt(NOW.minusSeconds(61))).isFalse();
  }

  @Test
  void shouldReadWhatIsOver() throws Exception {
    TestOcsp.good(authority, first)
        .lasting(NOW.minus(2, ChronoUnit.DAYS), NOW.minus(1, ChronoUnit.DAYS))
        .write(file);
    assertThat(read().holdsAt(NOW)).isFalse();
  }

  @Test
  void shouldRefuseWhatIsForAnotherCertificate() {
    TestOcsp.good(authority, authority.issue("other", "CN=other")).write(file);
    assertRefused("is for no certificate of this node");
  }

  @Test
  void shouldRefuseTheWordOfSomebodyElse() throws IOException {
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    TestOcsp.good(TestAuthority.create(elsewhere, "authority"), first).write(file);
    assertThatThrownBy(this::read).hasMessageContaining("does not vouch for the certificate: ");
  }

  @Test
  void shouldFindItAmongCertificatesOfOneNumber() throws Exception {
    Path elsewhere = Files.createDirectory(folder.resolve("same-number"));
    Path chain = elsewhere.resolve("chain.pem");
    Path other = TestAuthority.create(elsewhere, "other").certificate();
    Files.writeString(chain, Files.readString(first.certificate()) + Files.readString(other));
    TlsIdentity stranger = identity(chain, first);
    TestOcsp.good(authority, first).write(file);
    OcspResponse response =
        OcspResponse.read(file.toString(), List.of(stranger, identities.get(0)));
    assertThat(response.owner()).isSameAs(identities.get(0));
  }

  @Test
  void shouldRefuseARevokedCertificate() {
    TestOcsp.good(authority, first).asRevoked().write(file);
    assertRefused("says that the certificate is revoked");
  }

  @Test
  void shouldSayWhatIsNoResponse() throws IOException {
    Files.write(file, TestOcsp.tryLater());
    assertRefused(
        "holds no OCSP response (DER): it says that the responder refused, with status 3");
    Files.writeString(file, "-----BEGIN OCSP RESPONSE-----");
    assertThatThrownBy(this::read).hasMessageContaining("holds no OCSP response (DER): it ");
    Files.write(file, new byte[64 * 1024 + 1]);
    assertRefused("has more than 65536 bytes");
    Files.delete(file);
    assertRefused("does not exist");
  }

  @Test
  void shouldRefuseOneWithoutAnEnd() {
    TestOcsp.good(authority, first).lasting(NOW, null).write(file);
    assertRefused("holds no OCSP response (DER): it does not say for how long it holds");
  }

  @Test
  void shouldNeedTheIssuersCertificate() throws Exception {
    TestOcsp.good(authority, first).write(file);
    List<TlsIdentity> alone = List.of(identity(first.certificate(), first));
    assertThatThrownBy(() -> OcspResponse.read(file.toString(), alone))
        .hasMessageEndingWith(
            "cannot be checked without the issuer's certificate behind the node's own");
  }

  /** Whatever a file holds, it is refused as any other: no bytes may do more harm than that. */
  @Test
  void shouldOutliveAnyBytes() throws Exception {
    byte[] good = TestOcsp.good(authority, first).encoded();
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 300; i++) {
      byte[] bytes = Arrays.copyOf(good, i < 100 ? i * good.length / 100 : good.length);
      for (int changes = i < 100 ? 0 : 1 + random.nextInt(3); changes > 0; changes--) {
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
      }
      Files.write(file, bytes);
      try {
        read();
      } catch (UnusableTls refused) {
        assertThat(refused).as("seed %d, round %d", seed, i).hasMessageContaining(file.toString());
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed + ", round " + i, e);
      }
    }
  }
}
