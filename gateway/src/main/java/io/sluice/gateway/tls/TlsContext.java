package io.sluice.gateway.tls;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSslCachingX509KeyManagerFactory;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.handler.ssl.util.SimpleKeyManagerFactory;
import io.sluice.gateway.config.ServerSettings;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertStore;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.util.stream.Collectors;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.ManagerFactoryParameters;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;

/** Makes the engine's context of what the files hold. Stateless, for any thread. */
final class TlsContext {
  private TlsContext() {}

  /** Makes a context, which the caller releases. */
  static SslContext of(SslProvider provider, TlsFiles files) throws UnusableTls {
    try {
      SslContextBuilder builder =
          SslContextBuilder.forServer(keys(provider, new NamedKeys(files)))
              .sslProvider(provider)
              .protocols(TlsSuites.PROTOCOLS)
              .ciphers(TlsSuites.CIPHERS, SupportedCipherSuiteFilter.INSTANCE);
      if (files.clients().isPresent()) {
        ClientTrust clients = files.clients().get();
        builder.clientAuth(clients.required() ? ClientAuth.REQUIRE : ClientAuth.OPTIONAL);
        builder.trustManager(trust(clients));
      }
      return builder.build();
    } catch (SSLException e) {
      String what = "the engine refuses it: " + e.getMessage();
      throw new UnusableTls(ServerSettings.TLS_CERTIFICATE, what, e);
    }
  }

  /** OpenSSL would otherwise parse the key again for each handshake. */
  private static KeyManagerFactory keys(SslProvider provider, NamedKeys keys) {
    KeyManagerFactory ready = new Ready(keys);
    return provider == SslProvider.JDK ? ready : new OpenSslCachingX509KeyManagerFactory(ready);
  }

  /** A factory that has been made what it makes. */
  private static final class Ready extends SimpleKeyManagerFactory {
    private final KeyManager keys;

    Ready(KeyManager keys) {
      this.keys = keys;
    }

    @Override
    protected void engineInit(KeyStore store, char[] password) {}

    @Override
    protected void engineInit(ManagerFactoryParameters parameters) {}

    @Override
    protected KeyManager[] engineGetKeyManagers() {
      return new KeyManager[] {keys};
    }
  }

  // The lists of the files only: the JDK asks nobody else unless its own settings say so.
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
}
