package io.sluice.gateway.http;

import io.sluice.gateway.admission.ClientAddresses;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.WebOrigin;
import io.sluice.gateway.handshake.Origins;
import io.sluice.gateway.limits.QuotaOptions;
import java.util.List;

/**
 * Options of the port on which clients connect. Immutable, for any thread.
 *
 * @param port 0: any free port
 * @param transport configured transport, or auto
 * @param sendBuffer size of a connection's send buffer in bytes; 0: sized by the kernel
 * @param headerBytes maximum size of a request's headers
 * @param compression whether permessage-deflate is accepted
 * @param echo whether {@code /echo} is served
 * @param clientFiles whether the files of the JavaScript client are served
 * @param hstsSeconds of Strict-Transport-Security; 0: not sent
 * @param headerProxies proxies that send a PROXY protocol header; null: none does
 * @param bodyBytes maximum size of a stream request's body
 * @param bodiesBytes maximum size of all buffered bodies of an event loop
 */
public record ClientPortOptions(
    String host,
    int port,
    String transport,
    int sendBuffer,
    int headerBytes,
    boolean compression,
    boolean echo,
    boolean clientFiles,
    long hstsSeconds,
    Origins origins,
    ClientAddresses.Options addresses,
    List<AddressRange> headerProxies,
    int bodyBytes,
    long bodiesBytes,
    TransportLimits limits,
    QuotaOptions quotas,
    RequestCredentials credentials,
    NegotiateChallenge challenge) {
  /** Returns the options of a configuration. */
  public static ClientPortOptions of(Config config) {
    return new ClientPortOptions(
        config.get(ServerSettings.HOST),
        config.get(ServerSettings.PORT),
        config.get(ServerSettings.TRANSPORT),
        Math.toIntExact(config.get(ServerSettings.SEND_BUFFER)),
        Math.toIntExact(config.get(LimitSettings.HANDSHAKE_BYTES)),
        config.get(ServerSettings.COMPRESSION),
        config.get(ServerSettings.ECHO),
        config.get(ServerSettings.CLIENT_FILES),
        config.get(ServerSettings.HSTS).toSeconds(),
        origins(config),
        ClientAddresses.Options.of(config),
        headerProxies(config),
        Math.toIntExact(config.get(LimitSettings.STREAM_BODY_BYTES)),
        config.get(LimitSettings.STREAM_BODIES_BYTES),
        TransportLimits.of(config),
        QuotaOptions.of(config),
        credentials(config),
        challenge(config));
  }

  /** Returns the sources of credentials of a configuration. */
  static RequestCredentials credentials(Config config) {
    return new RequestCredentials(
        config.get(AuthSettings.COOKIE),
        config.get(AuthSettings.QUERY_PARAMETER),
        !config.get(ServerSettings.TLS_CLIENT_AUTH).equals("none"));
  }

  /** Returns the challenge of a configuration. */
  static NegotiateChallenge challenge(Config config) {
    boolean tickets = !config.get(AuthSettings.KERBEROS_KEYTAB).isEmpty();
    return new NegotiateChallenge(
        tickets, config.get(AuthSettings.ANONYMOUS) || AuthSettings.acceptsTokens(config));
  }

  // A node without TLS may be behind a proxy that terminates TLS.
  private static Origins origins(Config config) {
    return new Origins(
        WebOrigin.normalized(config.get(ServerSettings.ALLOWED_ORIGINS)),
        !config.get(ServerSettings.TLS_CERTIFICATE).isEmpty());
  }

  private static List<AddressRange> headerProxies(Config config) {
    return config.get(ServerSettings.PROXY_PROTOCOL)
        ? AddressRange.listOf(config, ServerSettings.TRUSTED_PROXIES)
        : null;
  }
}
