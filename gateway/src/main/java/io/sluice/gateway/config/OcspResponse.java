package io.sluice.gateway.config;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.PKIXRevocationChecker;
import java.security.cert.PKIXRevocationChecker.Option;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An authority's word that a certificate of the node is not revoked (OCSP, RFC 6960), for the node
 * to staple. Immutable, for any thread.
 *
 * <p>Its signature, and that it is for the certificate, is verified by the JDK, which tells neither
 * the certificate nor the times; those are read here.
 *
 * @param file where it was read
 * @param owner whose certificate it is for
 * @param from when it begins to hold
 * @param end when it holds no more
 */
public record OcspResponse(String file, TlsIdentity owner, byte[] der, Instant from, Instant end) {
  /** Some have the responder's certificate in them; clients take no more than this. */
  private static final int MOST_BYTES = 64 * 1024;

  private static final Setting<?> SETTING = ServerSettings.TLS_OCSP_RESPONSES;

  /** What a response says about one certificate. */
  private record Single(BigInteger serial, Instant from, Instant end) {}

  /** Whether clients can be given it at this time. */
  public boolean holdsAt(Instant time) {
    return !time.isBefore(from) && time.isBefore(end);
  }

  /**
   * Reads a file, and finds out for which certificate it is. One whose time is over is read, too:
   * an authority that does not answer must not keep a node from starting.
   */
  static OcspResponse read(String name, List<TlsIdentity> identities) throws UnusableTls {
    byte[] der = PemFile.load(SETTING, name, MOST_BYTES);
    List<Single> all;
    try {
      all = singles(der);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw unusable(name, "holds no OCSP response (DER): it " + e.getMessage(), e);
    }
    // Two authorities may have given two certificates the same number: only one can be verified.
    UnusableTls problem = unusable(name, "is for no certificate of this node", null);
    for (TlsIdentity identity : identities) {
      for (Single single : all) {
        if (single.serial().equals(identity.chain().get(0).getSerialNumber())) {
          try {
            verify(name, identity, der, single.from());
            return new OcspResponse(name, identity, der, single.from(), single.end());
          } catch (UnusableTls e) {
            problem = e;
          }
        }
      }
    }
    throw problem;
  }

  /** RFC 6960, 4.2.1. */
  private static List<Single> singles(byte[] der) {
    List<Der> response = Der.of(der, Der.SEQUENCE).inside();
    int status = response.get(0).as(Der.ENUMERATED).number().intValue();
    if (status != 0) {
      throw new IllegalArgumentException("says that the responder refused, with status " + status);
    }
    Der typed = response.get(1).as(Der.MEMBER).inside(Der.SEQUENCE);
    byte[] basic = typed.inside().get(1).as(Der.OCTETS).bytes();
    Der data = Der.of(basic, Der.SEQUENCE).inside().get(0).as(Der.SEQUENCE);
    return data.inside().stream()
        .filter(member -> member.tag() == Der.SEQUENCE) // nothing before it is one
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("is about no certificate"))
        .inside()
        .stream()
        .map(OcspResponse::single)
        .toList();
  }

  private static Single single(Der single) {
    List<Der> members = single.as(Der.SEQUENCE).inside();
    Der serial = members.get(0).as(Der.SEQUENCE).inside().get(3).as(Der.INTEGER);
    Instant end =
        members.stream()
            .skip(3)
            .filter(member -> member.tag() == Der.MEMBER)
            .map(member -> member.inside(Der.TIME).time())
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("does not say for how long it holds"));
    return new Single(serial.number(), members.get(2).time(), end);
  }

  // As of when both hold first: whether its time is over is asked later, again and again. The
  // second is for the JDK, which takes what is revoked at that very time for good.
  private static void verify(String name, TlsIdentity identity, byte[] der, Instant from)
      throws UnusableTls {
    if (identity.chain().size() < 2) {
      String what = "cannot be checked without the issuer's certificate behind the node's own";
      throw unusable(name, what, null);
    }
    X509Certificate own = identity.chain().get(0);
    try {
      CertPathValidator validator = CertPathValidator.getInstance("PKIX");
      PKIXRevocationChecker checker = (PKIXRevocationChecker) validator.getRevocationChecker();
      checker.setOptions(EnumSet.of(Option.ONLY_END_ENTITY, Option.NO_FALLBACK));
      checker.setOcspResponses(Map.of(own, der)); // so that it asks nobody
      PKIXParameters parameters =
          new PKIXParameters(Set.of(new TrustAnchor(identity.chain().get(1), null)));
      Instant begun = own.getNotBefore().toInstant();
      parameters.setDate(Date.from((begun.isAfter(from) ? begun : from).plusSeconds(1)));
      parameters.addCertPathChecker(checker);
      validator.validate(
          CertificateFactory.getInstance("X.509").generateCertPath(List.of(own)), parameters);
    } catch (CertPathValidatorException e) {
      throw unusable(
          name,
          e.getReason() == BasicReason.REVOKED
              ? "says that the certificate is revoked"
              : "does not vouch for the certificate: " + e.getMessage(),
          e);
    } catch (GeneralSecurityException e) {
      throw unusable(name, "cannot be checked: " + e.getMessage(), e);
    }
  }

  private static UnusableTls unusable(String name, String what, Exception cause) {
    return new UnusableTls(SETTING, name + " " + what, cause);
  }
}
