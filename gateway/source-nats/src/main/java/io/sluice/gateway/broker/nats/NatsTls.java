package io.sluice.gateway.broker.nats;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** Trust in servers with TLS. Stateless, for any thread. */
final class NatsTls {
  private NatsTls() {}

  /**
   * Creates a context that verifies certificate and name of the server.
   *
   * @param trust PEM file with authorities; empty for those of the JDK
   */
  static SSLContext context(String trust) throws IOException, GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(trust.isEmpty() ? null : authorities(Path.of(trust)));
    X509ExtendedTrustManager authorities =
        Arrays.stream(factory.getTrustManagers())
            .filter(X509ExtendedTrustManager.class::isInstance)
            .map(X509ExtendedTrustManager.class::cast)
            .findFirst()
            .orElseThrow();
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new NameVerifier(authorities)}, null);
    return context;
  }

  private static KeyStore authorities(Path file) throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (InputStream pem = Files.newInputStream(file)) {
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
        store.setCertificateEntry("authority-" + store.size(), each);
      }
    }
    return store;
  }

  /** Verifies the name of the server, which the NATS client does not request. */
  private static final class NameVerifier extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager authorities;

    NameVerifier(X509ExtendedTrustManager authorities) {
      this.authorities = authorities;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      if (!(socket instanceof SSLSocket server)) {
        throw new CertificateException("the server is not known by its name");
      }
      SSLParameters parameters = server.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      server.setSSLParameters(parameters);
      authorities.checkServerTrusted(chain, type, server);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      throw new CertificateException("the NATS client uses sockets");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      throw new CertificateException("the NATS client uses sockets");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      throw new CertificateException("not a server");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      throw new CertificateException("not a server");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      throw new CertificateException("not a server");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return authorities.getAcceptedIssuers();
    }
  }
}
