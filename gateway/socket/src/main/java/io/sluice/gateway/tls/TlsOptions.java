package io.sluice.gateway.tls;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Options of TLS on the clients' port ({@code server.tls}). Immutable.
 *
 * @param first the pair of files for all hosts
 * @param others further pairs for named hosts, each {@code certificate.pem=key.pem}
 * @param clientAuth none, optional or required
 * @param clientCa the authorities' file; empty if none is configured
 * @param clientCrl the revocation lists' file; empty if revocation is not checked
 * @param engine auto, openssl or jdk
 * @param reload interval at which the files are checked for changes
 */
public record TlsOptions(
    KeyPairOptions first,
    List<String> others,
    String clientAuth,
    String clientCa,
    String clientCrl,
    String engine,
    Duration reload) {
  public TlsOptions {
    others = List.copyOf(others);
  }

  /** Reads the options of a node. */
  public static TlsOptions of(Config config) {
    return new TlsOptions(
        KeyPairOptions.ofClients(config),
        config.get(ServerSettings.TLS_CERTIFICATES),
        config.get(ServerSettings.TLS_CLIENT_AUTH),
        config.get(ServerSettings.TLS_CLIENT_CA),
        config.get(ServerSettings.TLS_CLIENT_CRL),
        config.get(ServerSettings.TLS_ENGINE),
        config.get(ServerSettings.TLS_RELOAD));
  }

  /** Returns whether client certificates are requested. */
  boolean requestsClientCertificates() {
    return !clientAuth.equals("none");
  }

  /** Returns the names of all files. */
  List<String> files() {
    Stream<String> named = Stream.of(first.certificate(), first.key(), clientCa, clientCrl);
    Stream<String> pairs =
        others.stream().flatMap(pair -> Stream.of(pair.split("=", 2)).map(String::strip));
    return Stream.concat(named, pairs).filter(name -> !name.isEmpty()).toList();
  }
}
