package io.sluice.cluster;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jgroups.util.DefaultSocketFactory;
import org.jgroups.util.SocketFactory;

/**
 * Sockets between nodes: TLS 1.3 in which both ends have to show who they are. No state, for any
 * thread.
 *
 * <p>A shared secret becomes a pair of keys that all nodes have: whoever can show the one
 * certificate knows the secret. So the secret itself never crosses the network, not a byte of a
 * stranger reaches JGroups, and what was recorded can't be read by who learns the secret later.
 */
final class PeerTls {
  private static final String[] PROTOCOLS = {"TLSv1.3"};
  private static final String NAME = "sluice cluster";

  private PeerTls() {}

  static SocketFactory sockets(PeerIdentity identity, String cluster, PeerTrust.Refusals refusals)
      throws GeneralSecurityException {
    if (identity instanceof PeerIdentity.Secret secret) {
      return sockets(secret, cluster, refusals);
    }
    if (identity instanceof PeerIdentity.Certified certified) {
      return sockets(certified, refusals);
    }
    return new DefaultSocketFactory();
  }

  private static SocketFactory sockets(
      PeerIdentity.Secret secret, String cluster, PeerTrust.Refusals refusals)
      throws GeneralSecurityException {
    KeyPair keys = SecretKeys.derive(secret.text(), cluster);
    X509Certificate own = Certificate.write(NAME, keys.getPublic(), NAME, keys.getPrivate());
    PeerTrust trust = new PeerTrust(new SameKey(keys.getPublic()), refusals);
    return sockets(context(keys.getPrivate(), List.of(own), trust));
  }

  private static SocketFactory sockets(
      PeerIdentity.Certified certified, PeerTrust.Refusals refusals)
      throws GeneralSecurityException {
    PeerTrust trust = new PeerTrust(authorities(certified.authorities()), refusals);
    return sockets(context(certified.key(), certified.chain(), trust));
  }

  private static X509ExtendedTrustManager authorities(List<X509Certificate> authorities)
      throws GeneralSecurityException {
    KeyStore store = emptyStore();
    for (int i = 0; i < authorities.size(); i++) {
      store.setCertificateEntry("authority-" + i, authorities.get(i));
    }
    TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
    factory.init(store);
    return (X509ExtendedTrustManager) factory.getTrustManagers()[0];
  }

  private static SSLContext context(PrivateKey key, List<X509Certificate> chain, PeerTrust trust)
      throws GeneralSecurityException {
    KeyStore store = emptyStore();
    store.setKeyEntry("node", key, new char[0], chain.toArray(new X509Certificate[0]));
    KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
    factory.init(store, new char[0]);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(factory.getKeyManagers(), new TrustManager[] {trust}, new SecureRandom());
    return context;
  }

  private static KeyStore emptyStore() throws GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try {
      store.load(null, null);
    } catch (IOException e) {
      throw new GeneralSecurityException(e);
    }
    return store;
  }

  private static SocketFactory sockets(SSLContext context) {
    DefaultSocketFactory sockets = new DefaultSocketFactory(context);
    sockets.setSocketConfigurator(s -> ((SSLSocket) s).setEnabledProtocols(PROTOCOLS));
    sockets.setServerSocketConfigurator(
        server -> {
          SSLParameters both = new SSLParameters();
          both.setProtocols(PROTOCOLS);
          both.setNeedClientAuth(true);
          ((SSLServerSocket) server).setSSLParameters(both);
        });
    return sockets;
  }
}
