package io.sluice.gateway.tls;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSslCachingX509KeyManagerFactory;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.handler.ssl.util.SimpleKeyManagerFactory;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.tls.TlsFiles.ClientTrust;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertStore;
import java.security.cert.CertificateParsingException;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.ManagerFactoryParameters;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;

/** Factory of an engine's context from the files' contents. Stateless, for any thread. */
final class TlsContext {
  /** HTTP/2 for requests; browsers offer only HTTP/1.1 for WebSockets. */
  private static final ApplicationProtocolConfig ALPN =
      new ApplicationProtocolConfig(
          Protocol.ALPN,
          SelectorFailureBehavior.NO_ADVERTISE,
          SelectedListenerFailureBehavior.ACCEPT,
          ApplicationProtocolNames.HTTP_2,
          ApplicationProtocolNames.HTTP_1_1);

  private TlsContext() {}

  /** Creates a context, which the caller releases. */
  static SslContext of(SslProvider provider, TlsFiles files) throws UnusableTls {
    try {
      SslContextBuilder builder =
          SslContextBuilder.forServer(keys(provider, new NamedKeys(files)))
              .sslProvider(provider)
              .protocols(TlsSuites.PROTOCOLS)
              .ciphers(TlsSuites.CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
              .applicationProtocolConfig(ALPN);
      if (files.clients().isPresent()) {
        ClientTrust clients = files.clients().get();
        builder.clientAuth(clients.required() ? ClientAuth.REQUIRE : ClientAuth.OPTIONAL);
        builder.trustManager(trust(clients));
      }
      return builder.build();
    } catch (SSLException e) {
      String what = "rejected by the TLS engine: " + e.getMessage();
      throw new UnusableTls(ServerSettings.TLS_CERTIFICATE, what, e);
    }
  }

  // The cache prevents that OpenSSL parses the key for each handshake.
  private static KeyManagerFactory keys(SslProvider provider, NamedKeys keys) {
    KeyManagerFactory factory =
        new SimpleKeyManagerFactory() {
          @Override
          protected void engineInit(KeyStore store, char[] password) {}

          @Override
          protected void engineInit(ManagerFactoryParameters parameters) {}

          @Override
          protected KeyManager[] engineGetKeyManagers() {
            return new KeyManager[] {keys};
          }
        };
    return provider == SslProvider.JDK ? factory : new OpenSslCachingX509KeyManagerFactory(factory);
  }

  // Uses the lists of the files only: the JDK fetches no others unless its own settings enable it.
  private static TrustManagerFactory trust(ClientTrust clients) throws UnusableTls {
    try {
      PKIXBuilderParameters parameters =
          new PKIXBuilderParameters(
              clients.authorities().stream()
                  .map(authority -> new TrustAnchor(authority, null))
                  .collect(Collectors.toSet()),
              new X509CertSelector());
      parameters.setRevocationEnabled(!clients.revoked().isEmpty());
      parameters.addCertStore(
          CertStore.getInstance(
              "Collection", new CollectionCertStoreParameters(clients.revoked())));
      TrustManagerFactory managers = TrustManagerFactory.getInstance("PKIX");
      managers.init(new CertPathTrustManagerParameters(parameters));
      return managers;
    } catch (GeneralSecurityException e) {
      String what = "cannot be used: " + e.getMessage();
      throw new UnusableTls(ServerSettings.TLS_CLIENT_CA, what, e);
    }
  }

  /**
   * Key manager that selects the certificate by the client's host name (SNI, RFC 6066). A client
   * without a host name, or with an unknown one, receives the first certificate. Immutable, for any
   * thread.
   */
  private static final class NamedKeys extends X509ExtendedKeyManager {
    private static final int DNS = 2; // the tag of RFC 5280's GeneralName
    private static final String FIRST = "0";

    private final List<TlsIdentity> identities;

    /** Aliases, which are indices, by host name in lower case or wildcard, as in certificates. */
    private final Map<String, String> aliases = new HashMap<>();

    NamedKeys(TlsFiles files) {
      this.identities = files.identities();
      for (int i = 0; i < identities.size(); i++) {
        for (String host : hosts(identities.get(i).chain().get(0))) {
          aliases.putIfAbsent(host, Integer.toString(i));
        }
      }
    }

    private static List<String> hosts(X509Certificate certificate) {
      try {
        Collection<List<?>> names = certificate.getSubjectAlternativeNames();
        return names == null
            ? List.of()
            : names.stream()
                .filter(name -> name.get(0).equals(DNS))
                .map(name -> String.valueOf(name.get(1)).toLowerCase(Locale.ROOT))
                .toList();
      } catch (CertificateParsingException e) {
        return List.of(); // matches no host name
      }
    }

    // OpenSSL requests a key of each kind, regardless of the client's algorithms. A host can
    // therefore
    // have a certificate of one kind only.
    @Override
    public String chooseEngineServerAlias(String kind, Principal[] issuers, SSLEngine engine) {
      String alias = alias(host(engine));
      return identity(alias).key().getAlgorithm().equals(kind) ? alias : null;
    }

    private String alias(String host) {
      String exact = aliases.get(host);
      int dot = host.indexOf('.');
      return exact == null && dot >= 0
          ? aliases.getOrDefault("*" + host.substring(dot), FIRST)
          : Objects.requireNonNullElse(exact, FIRST);
    }

    private static String host(SSLEngine engine) {
      if (engine.getHandshakeSession() instanceof ExtendedSSLSession session) {
        for (SNIServerName name : session.getRequestedServerNames()) {
          if (name instanceof SNIHostName host) {
            return host.getAsciiName().toLowerCase(Locale.ROOT);
          }
        }
      }
      return "";
    }

    private TlsIdentity identity(String alias) {
      return identities.get(Integer.parseInt(alias));
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
      return identity(alias).chain().toArray(X509Certificate[]::new);
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
      return identity(alias).key();
    }

    @Override
    public String[] getServerAliases(String kind, Principal[] issuers) {
      return null; // engines call chooseEngineServerAlias only
    }

    @Override
    public String chooseServerAlias(String kind, Principal[] issuers, Socket socket) {
      return null;
    }

    @Override
    public String[] getClientAliases(String kind, Principal[] issuers) {
      return null;
    }

    @Override
    public String chooseClientAlias(String[] kinds, Principal[] issuers, Socket socket) {
      return null;
    }
  }
}
