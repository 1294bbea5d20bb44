package io.sluice.gateway.tls;

import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.ValueText;
import java.security.cert.X509CRL;
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
 * All that the files of {@code server.tls} hold, read and checked. Immutable, for any thread.
 *
 * @param identities who the node is: that for every client first, then those for named hosts
 * @param clients empty if clients are asked for no certificates
 */
public record TlsFiles(List<TlsIdentity> identities, Optional<ClientTrust> clients) {
  /** For so much longer than it says the JDK believes a list, because clocks differ. */
  private static final Duration BELIEVED = Duration.ofMinutes(15);

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
      String what = ValueText.quote(pair) + " is no pair of files, certificate.pem=key.pem";
      throw new UnusableTls(ServerSettings.TLS_CERTIFICATES, what);
    }
    return TlsIdentity.read(
        PemFile.read(ServerSettings.TLS_CERTIFICATES, parts[0].strip()),
        PemFile.read(ServerSettings.TLS_CERTIFICATES, parts[1].strip()));
  }

  /** When the first of the node's own certificates ends. */
  public Instant certificateEnds() {
    return identities.stream()
        .map(identity -> identity.chain().get(0).getNotAfter().toInstant())
        .min(Comparator.naturalOrder())
        .orElseThrow();
  }

  /** Without TLS nobody would be asked, and everybody let in. */
  private static void requireNoClients(TlsOptions options) throws UnusableTls {
    if (options.asksClients()) {
      String needed = ServerSettings.TLS_CERTIFICATE.key() + " and " + ServerSettings.TLS_KEY.key();
      throw new UnusableTls(ServerSettings.TLS_CLIENT_AUTH, "needs " + needed);
    }
  }

  /**
   * When the first of the revocation lists is too old to be believed, so that clients are refused;
   * empty if there is no such time.
   */
  public Optional<Instant> revocationsEnd() {
    return revocationEnds().min(Comparator.naturalOrder());
  }

  /** When clients are first refused for the next of those lists that is still believed. */
  public Optional<Instant> refusalsBeginAfter(Instant now) {
    return revocationEnds()
        .map(end -> end.plus(BELIEVED))
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
}
