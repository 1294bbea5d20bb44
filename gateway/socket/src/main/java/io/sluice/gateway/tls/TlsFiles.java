package io.sluice.gateway.tls;

import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.SettingFile.PemBlock;
import io.sluice.gateway.config.ValueText;
import java.io.ByteArrayInputStream;
import java.security.cert.CRLException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Contents of the files of {@code server.tls}, read and checked. Immutable, for any thread.
 *
 * @param identities the certificate for all hosts first, then those for named hosts
 * @param clients empty if client certificates are not requested
 */
public record TlsFiles(List<TlsIdentity> identities, Optional<ClientTrust> clients) {
  /** Time for which the JDK accepts an expired revocation list, because clocks differ. */
  private static final Duration TOLERANCE = Duration.ofMinutes(15);

  public TlsFiles {
    identities = List.copyOf(identities);
  }

  /**
   * Reads the files.
   *
   * @return empty if no certificate is configured: TLS is off
   */
  public static Optional<TlsFiles> read(TlsOptions options) throws UnusableTls {
    Optional<TlsIdentity> first = TlsIdentity.read(options.first());
    if (first.isEmpty()) {
      requireNoClients(options);
      return Optional.empty();
    }
    List<TlsIdentity> identities = new ArrayList<>(List.of(first.get()));
    for (String pair : options.others()) {
      identities.add(further(pair));
    }
    return Optional.of(new TlsFiles(identities, ClientTrust.read(options)));
  }

  private static TlsIdentity further(String pair) throws UnusableTls {
    String[] parts = pair.split("=", -1);
    if (parts.length != 2 || parts[0].isBlank() || parts[1].isBlank()) {
      String what = ValueText.quote(pair) + " is not a pair of files certificate.pem=key.pem";
      throw new UnusableTls(ServerSettings.TLS_CERTIFICATES, what);
    }
    return TlsIdentity.read(
        PemFile.read(ServerSettings.TLS_CERTIFICATES, parts[0].strip()),
        PemFile.read(ServerSettings.TLS_CERTIFICATES, parts[1].strip()));
  }

  /** Returns the earliest end of the node's own certificates. */
  public Instant certificateEnds() {
    return identities.stream()
        .map(identity -> identity.chain().get(0).getNotAfter().toInstant())
        .min(Comparator.naturalOrder())
        .orElseThrow();
  }

  /** Rejects client authentication without TLS, which would admit every client. */
  private static void requireNoClients(TlsOptions options) throws UnusableTls {
    if (options.requestsClientCertificates()) {
      String needed = ServerSettings.TLS_CERTIFICATE.key() + " and " + ServerSettings.TLS_KEY.key();
      throw new UnusableTls(ServerSettings.TLS_CLIENT_AUTH, "needs " + needed);
    }
  }

  /** Returns the earliest end of the revocation lists; empty if no list has one. */
  public Optional<Instant> revocationsEnd() {
    return revocationEnds().min(Comparator.naturalOrder());
  }

  /** Returns the time at which the next list expires, from which its clients are rejected. */
  public Optional<Instant> nextExpiryAfter(Instant now) {
    return revocationEnds()
        .map(end -> end.plus(TOLERANCE))
        .filter(now::isBefore)
        .min(Comparator.naturalOrder());
  }

  private Stream<Instant> revocationEnds() {
    return clients.stream()
        .flatMap(trust -> trust.revoked().stream())
        .map(X509CRL::getNextUpdate)
        .filter(Objects::nonNull)
        .map(Date::toInstant);
  }

  /**
   * Authorities and revocation lists of clients' certificates. Immutable, for any thread.
   *
   * @param required whether a client without a certificate is rejected
   * @param authorities the trust anchors, at least one
   * @param revoked the revocation lists of the authorities; empty: revocation is not checked
   */
  public record ClientTrust(
      boolean required, List<X509Certificate> authorities, List<X509CRL> revoked) {
    /** Maximum size of a file; lists of large authorities have hundreds of thousands of entries. */
    static final int MAX_CRL_BYTES = 64 * 1024 * 1024;

    private static final String CRL = "X509 CRL";

    public ClientTrust {
      authorities = List.copyOf(authorities);
      revoked = List.copyOf(revoked);
    }

    /** Reads the files. Returns empty if client certificates are not requested. */
    static Optional<ClientTrust> read(TlsOptions options) throws UnusableTls {
      if (!options.requestsClientCertificates()) {
        return Optional.empty();
      }
      if (options.clientCa().isEmpty()) {
        throw new UnusableTls(
            ServerSettings.TLS_CLIENT_AUTH, "needs " + ServerSettings.TLS_CLIENT_CA.key());
      }
      return Optional.of(
          new ClientTrust(
              options.clientAuth().equals("required"),
              TlsIdentity.certificates(
                  PemFile.read(ServerSettings.TLS_CLIENT_CA, options.clientCa())),
              revocations(options.clientCrl())));
    }

    static List<X509CRL> revocations(String name) throws UnusableTls {
      if (name.isEmpty()) {
        return List.of();
      }
      byte[] bytes = PemFile.load(ServerSettings.TLS_CLIENT_CRL, name, MAX_CRL_BYTES);
      PemFile file = PemFile.parse(ServerSettings.TLS_CLIENT_CRL, name, PemFile.text(bytes));
      if (file.blocks(CRL).isEmpty()) {
        return List.of(revocation(file, bytes));
      }
      List<X509CRL> found = new ArrayList<>();
      for (PemBlock block : file.blocks(CRL)) {
        found.add(revocation(file, block.der()));
      }
      return found;
    }

    private static X509CRL revocation(PemFile file, byte[] der) throws UnusableTls {
      try {
        return (X509CRL)
            CertificateFactory.getInstance("X.509").generateCRL(new ByteArrayInputStream(der));
      } catch (CertificateException | CRLException e) {
        String what = "holds no revocation list (PEM, -----BEGIN X509 CRL-----, or DER)";
        throw file.unusable(what, e);
      }
    }
  }
}
