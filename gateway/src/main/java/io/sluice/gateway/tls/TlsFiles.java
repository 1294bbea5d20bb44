package io.sluice.gateway.tls;

import io.sluice.gateway.config.Config;
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

  /** A further pair of files. */
  private record Pair(String certificate, String key) {
    static Pair of(String text) throws UnusableTls {
      String[] parts = text.split("=", -1);
      if (parts.length != 2 || parts[0].isBlank() || parts[1].isBlank()) {
        String what = ValueText.quote(text) + " is no pair of files, certificate.pem=key.pem";
        throw new UnusableTls(ServerSettings.TLS_CERTIFICATES, what);
      }
      return new Pair(parts[0].strip(), parts[1].strip());
    }

    TlsIdentity read() throws UnusableTls {
      return TlsIdentity.read(
          PemFile.read(ServerSettings.TLS_CERTIFICATES, certificate),
          PemFile.read(ServerSettings.TLS_CERTIFICATES, key));
    }
  }

  /**
   * Reads them.
   *
   * @return empty if there is no certificate, so that TLS is off
   */
  public static Optional<TlsFiles> read(Config config) throws UnusableTls {
    Optional<TlsIdentity> first = TlsIdentity.read(config);
    if (first.isEmpty()) {
      requireNoClients(config);
      return Optional.empty();
    }
    List<TlsIdentity> identities = new ArrayList<>(List.of(first.get()));
    for (String pair : config.get(ServerSettings.TLS_CERTIFICATES)) {
      identities.add(Pair.of(pair).read());
    }
    return Optional.of(new TlsFiles(identities, ClientTrust.read(config)));
  }

  /** When the first of the node's own certificates ends. */
  public Instant certificateEnds() {
    return identities.stream()
        .map(identity -> identity.chain().get(0).getNotAfter().toInstant())
        .min(Comparator.naturalOrder())
        .orElseThrow();
  }

  /** Without TLS nobody would be asked, and everybody let in. */
  private static void requireNoClients(Config config) throws UnusableTls {
    if (!config.get(ServerSettings.TLS_CLIENT_AUTH).equals("none")) {
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

  /** The names of the files of a configuration that was read. */
  public static List<String> names(Config config) {
    Stream<String> named =
        Stream.of(
                ServerSettings.TLS_CERTIFICATE,
                ServerSettings.TLS_KEY,
                ServerSettings.TLS_CLIENT_CA,
                ServerSettings.TLS_CLIENT_CRL)
            .map(config::get);
    Stream<String> pairs =
        config.get(ServerSettings.TLS_CERTIFICATES).stream()
            .flatMap(pair -> Stream.of(pair.split("=", 2)).map(String::strip));
    return Stream.concat(named, pairs).filter(name -> !name.isEmpty()).toList();
  }
}
