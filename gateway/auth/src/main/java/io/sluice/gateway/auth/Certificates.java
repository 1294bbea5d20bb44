package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.auth.Principal.Mechanism;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/**
 * Authenticator of client certificates, which the TLS handshake has verified. Immutable, for any
 * thread.
 */
final class Certificates implements Authenticator {
  // The tags of RFC 5280's GeneralName.
  private static final int EMAIL = 1;
  private static final int DNS = 2;
  private static final int URI = 6;

  private final String nameFrom;

  private Certificates(String nameFrom) {
    this.nameFrom = nameFrom;
  }

  /** Returns null if there is no source of names, because clients show no certificates. */
  static Certificates of(String nameFrom) {
    return nameFrom == null ? null : new Certificates(nameFrom);
  }

  @Override
  public CompletionStage<Principal> authenticate(Credential credential, String address) {
    try {
      return CompletableFuture.completedFuture(
          principal(((Credential.Certificate) credential).chain().get(0)));
    } catch (AuthenticationFailure e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private Principal principal(X509Certificate certificate) throws AuthenticationFailure {
    Map<String, Object> claims = new HashMap<>();
    claims.put("subject", certificate.getSubjectX500Principal().getName());
    claims.put("issuer", certificate.getIssuerX500Principal().getName());
    claims.put("serial", certificate.getSerialNumber().toString(16));
    claims.put("cn", commonNames(certificate));
    claims.put("email", alternatives(certificate, EMAIL));
    claims.put("dns", alternatives(certificate, DNS));
    claims.put("uri", alternatives(certificate, URI));
    String name = name(claims);
    claims.put("sub", name);
    return new Principal(
        name,
        Mechanism.CERTIFICATE,
        certificate.getSerialNumber().toString(16),
        certificate.getNotBefore().getTime(),
        certificate.getNotAfter().getTime(),
        claims);
  }

  private String name(Map<String, Object> claims) throws AuthenticationFailure {
    Object found = claims.get(nameFrom);
    if (found instanceof List<?> several) {
      found = several.isEmpty() ? "" : several.get(0);
    }
    String name = String.valueOf(found);
    if (name.isEmpty()) {
      throw refused("the certificate has no " + nameFrom + " to use as the client's name");
    }
    if (name.chars().anyMatch(Character::isISOControl)) {
      throw refused("the certificate's " + nameFrom + " has a control character");
    }
    return name;
  }

  /** Returns the common names, the most specific first; a subject lists it last. */
  private static List<String> commonNames(X509Certificate certificate)
      throws AuthenticationFailure {
    List<String> found = new ArrayList<>();
    try {
      for (Rdn each : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
        Attribute names = each.toAttributes().get("CN");
        if (names != null && names.get() instanceof String text) {
          found.add(0, text);
        }
      }
    } catch (NamingException e) {
      throw new AuthenticationFailure(
          Reason.MALFORMED, "the certificate's subject is not a distinguished name", e);
    }
    return List.copyOf(found);
  }

  private static List<String> alternatives(X509Certificate certificate, int kind)
      throws AuthenticationFailure {
    try {
      Collection<List<?>> all = certificate.getSubjectAlternativeNames();
      return all == null
          ? List.of()
          : all.stream()
              .filter(each -> each.get(0).equals(kind))
              .map(each -> String.valueOf(each.get(1)))
              .toList();
    } catch (CertificateParsingException e) {
      String what = "the certificate's alternative names cannot be read";
      throw new AuthenticationFailure(Reason.MALFORMED, what, e);
    }
  }

  private static AuthenticationFailure refused(String message) {
    return new AuthenticationFailure(Reason.REFUSED, message);
  }

  @Override
  public void close() {
    // No resources.
  }
}
