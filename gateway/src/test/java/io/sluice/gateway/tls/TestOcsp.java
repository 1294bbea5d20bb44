package io.sluice.gateway.tls;

import io.sluice.gateway.tls.TestAuthority.Issued;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.bouncycastle.cert.ocsp.BasicOCSPResp;
import org.bouncycastle.cert.ocsp.BasicOCSPRespBuilder;
import org.bouncycastle.cert.ocsp.CertificateID;
import org.bouncycastle.cert.ocsp.CertificateStatus;
import org.bouncycastle.cert.ocsp.OCSPException;
import org.bouncycastle.cert.ocsp.OCSPRespBuilder;
import org.bouncycastle.cert.ocsp.RevokedStatus;
import org.bouncycastle.operator.DigestCalculator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;

/** What an authority's OCSP responder says of one certificate. Immutable, for any thread. */
public record TestOcsp(
    TestAuthority authority, String serial, boolean revoked, Instant from, Instant end) {
  /** That it is good, from an hour ago to in an hour. */
  public static TestOcsp good(TestAuthority authority, Issued certificate) {
    Instant now = Instant.now();
    return new TestOcsp(
        authority, certificate.serial(), false, now.minusSeconds(3_600), now.plusSeconds(3_600));
  }

  /** The same for another time; without an end if that is null. */
  public TestOcsp lasting(Instant begin, Instant last) {
    return new TestOcsp(authority, serial, revoked, begin, last);
  }

  /** That it is not. */
  public TestOcsp asRevoked() {
    return new TestOcsp(authority, serial, true, from, end);
  }

  /** Writes it, DER. */
  public Path write(Path file) {
    try {
      return Files.write(file, encoded());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A responder that is too busy to say anything. */
  public static byte[] tryLater() {
    try {
      return new OCSPRespBuilder().build(OCSPRespBuilder.TRY_LATER, null).getEncoded();
    } catch (OCSPException | IOException e) {
      throw new AssertionError(e);
    }
  }

  public byte[] encoded() {
    try {
      X509Certificate ca = authority.own();
      DigestCalculator sha1 =
          new JcaDigestCalculatorProviderBuilder().build().get(CertificateID.HASH_SHA1);
      BasicOCSPRespBuilder builder =
          new BasicOCSPRespBuilder(
              SubjectPublicKeyInfo.getInstance(ca.getPublicKey().getEncoded()), sha1);
      builder.addResponse(
          new CertificateID(sha1, new JcaX509CertificateHolder(ca), new BigInteger(serial, 16)),
          revoked ? new RevokedStatus(Date.from(from), 1) : CertificateStatus.GOOD,
          Date.from(from),
          end == null ? null : Date.from(end),
          null);
      BasicOCSPResp response =
          builder.build(
              new JcaContentSignerBuilder("SHA256withECDSA").build(authority.key()),
              null,
              Date.from(from));
      return new OCSPRespBuilder().build(OCSPRespBuilder.SUCCESSFUL, response).getEncoded();
    } catch (GeneralSecurityException | OperatorCreationException | OCSPException | IOException e) {
      throw new AssertionError(e);
    }
  }
}
