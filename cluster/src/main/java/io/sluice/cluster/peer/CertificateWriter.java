package io.sluice.cluster.peer;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;

/**
 * Writer of minimal certificates (X.509 version 1, Ed25519). TLS exchanges keys in certificates,
 * and the JDK has no public API to create them. Stateless, for any thread.
 */
public final class CertificateWriter {
  private static final int SEQUENCE = 0x30;
  private static final int SET = 0x31;
  private static final int INTEGER = 0x02;
  private static final int BIT_STRING = 0x03;
  private static final int OBJECT_ID = 0x06;
  private static final int UTF8 = 0x0c;
  private static final int UTC_TIME = 0x17;
  private static final int GENERAL_TIME = 0x18;

  private static final byte[] ED25519 = {0x2b, 0x65, 0x70};
  private static final byte[] COMMON_NAME = {0x55, 0x04, 0x03};

  private CertificateWriter() {}

  /** Returns a certificate with nothing but a subject, its key and an issuer. */
  public static X509Certificate write(
      String subject, PublicKey key, String issuer, PrivateKey issuerKey)
      throws GeneralSecurityException {
    byte[] algorithm = tagged(SEQUENCE, tagged(OBJECT_ID, ED25519));
    byte[] body =
        tagged(
            SEQUENCE,
            tagged(INTEGER, new byte[] {1}),
            algorithm,
            name(issuer),
            tagged(
                SEQUENCE, time(UTC_TIME, "200101000000Z"), time(GENERAL_TIME, "99991231235959Z")),
            name(subject),
            key.getEncoded());
    byte[] whole = tagged(SEQUENCE, body, algorithm, signature(issuerKey, body));
    return (X509Certificate)
        CertificateFactory.getInstance("X.509")
            .generateCertificate(new ByteArrayInputStream(whole));
  }

  private static byte[] signature(PrivateKey key, byte[] body) throws GeneralSecurityException {
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(key);
    signature.update(body);
    return tagged(BIT_STRING, new byte[] {0}, signature.sign());
  }

  private static byte[] name(String text) {
    byte[] utf8 = tagged(UTF8, text.getBytes(StandardCharsets.UTF_8));
    byte[] part = tagged(SEQUENCE, tagged(OBJECT_ID, COMMON_NAME), utf8);
    return tagged(SEQUENCE, tagged(SET, part));
  }

  private static byte[] time(int tag, String text) {
    return tagged(tag, text.getBytes(StandardCharsets.US_ASCII));
  }

  private static byte[] tagged(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    writeLength(content.size(), out);
    out.writeBytes(content.toByteArray());
    return out.toByteArray();
  }

  private static void writeLength(int length, ByteArrayOutputStream out) {
    if (length > 0xff) {
      out.write(0x82);
      out.write(length >> 8);
    } else if (length > 0x7f) {
      out.write(0x81);
    }
    out.write(length);
  }
}
