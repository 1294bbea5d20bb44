package io.sluice.cluster.peer;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jgroups.util.DefaultSocketFactory;
import org.jgroups.util.SocketFactory;

/**
 * Factory of sockets between nodes: TLS 1.3 with mutual authentication. For any thread.
 *
 * <p>All nodes derive the same key pair from a shared secret: the holder of its certificate has the
 * secret. The secret itself is never transmitted, and no data of an unauthenticated peer reaches
 * JGroups. Recorded traffic cannot be decrypted later with the secret.
 */
public final class PeerTls {
  private static final String[] PROTOCOLS = {"TLSv1.3"};
  private static final String NAME = "sluice cluster";

  private static final long ACCEPT_PAUSE_MS = 100;

  private final PeerListener listener;
  private final UnresponsivePeers unresponsive = new UnresponsivePeers(System::nanoTime);
  private volatile SSLContext context;

  private PeerTls(SSLContext context, PeerListener listener) {
    this.context = context;
    this.listener = listener;
  }

  /**
   * Returns the factory of an identity; empty without authentication, when connections are not
   * encrypted.
   */
  public static Optional<PeerTls> of(PeerIdentity identity, String cluster, PeerListener listener)
      throws GeneralSecurityException {
    if (identity instanceof PeerIdentity.Secret secret) {
      String refusal = "the peer has another secret";
      return Optional.of(
          new PeerTls(context(derived(secret, cluster), refusal, listener), listener));
    }
    if (identity instanceof PeerIdentity.Certified certified) {
      return Optional.of(new PeerTls(context(certified, null, listener), listener));
    }
    return Optional.empty();
  }

  /**
   * Uses another certificate for new connections in both directions, including an open port. The
   * SSL context is replaced: resumed sessions of the former one would skip authentication.
   */
  public void renew(PeerIdentity.Certified certified) throws GeneralSecurityException {
    context = context(certified, null, listener);
  }

  /** Returns the key pair of a secret, with a certificate that all its nodes have and trust. */
  private static PeerIdentity.Certified derived(PeerIdentity.Secret secret, String cluster)
      throws GeneralSecurityException {
    KeyPair keys = SecretKeys.derive(secret.text(), cluster);
    X509Certificate own = CertificateWriter.write(NAME, keys.getPublic(), NAME, keys.getPrivate());
    return new PeerIdentity.Certified(keys.getPrivate(), List.of(own), List.of(own));
  }

  /**
   * @param refusal reported reason of a rejection; null for that of the trust manager
   */
  private static SSLContext context(
      PeerIdentity.Certified certified, String refusal, PeerListener listener)
      throws GeneralSecurityException {
    KeyStore store = emptyStore();
    store.setKeyEntry(
        "node", certified.key(), new char[0], certified.chain().toArray(new X509Certificate[0]));
    KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
    factory.init(store, new char[0]);
    PeerTrust trust = new PeerTrust(authorities(certified.authorities()), refusal, listener);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(factory.getKeyManagers(), new TrustManager[] {trust}, new SecureRandom());
    return context;
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

  private static KeyStore emptyStore() throws GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try {
      store.load(null, null);
    } catch (IOException e) {
      throw new GeneralSecurityException(e);
    }
    return store;
  }

  /** Returns the factory of the sockets of JGroups, which binds and connects them. */
  public SocketFactory sockets() {
    return new DefaultSocketFactory() {
      @Override
      public Socket createSocket(String service) {
        return new PeerSocket(PeerTls.this::secured, unresponsive, listener);
      }

      @Override
      public ServerSocket createServerSocket(String service) throws IOException {
        return new Port();
      }
    };
  }

  private SSLSocket secured(Socket plain) throws IOException {
    String host = plain.getInetAddress().getHostAddress();
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket(plain, host, plain.getPort(), true);
    socket.setEnabledProtocols(PROTOCOLS);
    return socket;
  }

  /** Server socket that stays open when certificates are replaced. */
  private final class Port extends ServerSocket {
    Port() throws IOException {
      super();
    }

    @Override
    public Socket accept() throws IOException {
      Socket plain = acceptPlain();
      try {
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, null, true);
        socket.setEnabledProtocols(PROTOCOLS);
        socket.setNeedClientAuth(true);
        return socket;
      } catch (IOException | RuntimeException e) {
        plain.close();
        throw e;
      }
    }

    /**
     * Accepts a connection; reports a failure and pauses. JGroups retries at once without logging,
     * which would loop without free file descriptors.
     */
    private Socket acceptPlain() throws IOException {
      try {
        return super.accept();
      } catch (IOException e) {
        if (!isClosed()) {
          listener.onAcceptFailed(e);
          pause();
        }
        throw e;
      }
    }

    private static void pause() {
      try {
        TimeUnit.MILLISECONDS.sleep(ACCEPT_PAUSE_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
