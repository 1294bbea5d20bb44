package io.sluice.cluster.peer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jgroups.util.DefaultSocketFactory;

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
      return Optional.of(new PeerTls(context(secret, cluster, listener), listener));
    }
    if (identity instanceof PeerIdentity.Certified certified) {
      return Optional.of(new PeerTls(context(certified, listener), listener));
    }
    return Optional.empty();
  }

  /**
   * Uses another certificate for new connections in both directions, including an open port. The
   * SSL context is replaced: resumed sessions of the former one would skip authentication.
   */
  public void renew(PeerIdentity.Certified certified) throws GeneralSecurityException {
    context = context(certified, listener);
  }

  private static SSLContext context(
      PeerIdentity.Secret secret, String cluster, PeerListener listener)
      throws GeneralSecurityException {
    KeyPair keys = SecretKeys.derive(secret.text(), cluster);
    X509Certificate own = CertificateWriter.write(NAME, keys.getPublic(), NAME, keys.getPrivate());
    PeerTrust trust = new PeerTrust(new SharedKeyTrust(keys.getPublic()), listener);
    return context(keys.getPrivate(), List.of(own), trust);
  }

  private static SSLContext context(PeerIdentity.Certified certified, PeerListener listener)
      throws GeneralSecurityException {
    PeerTrust trust = new PeerTrust(authorities(certified.authorities()), listener);
    return context(certified.key(), certified.chain(), trust);
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

  /** Returns the factory of the sockets of JGroups. */
  public org.jgroups.util.SocketFactory sockets() {
    return new DefaultSocketFactory(new Connecting(), new Listening());
  }

  private final class Connecting extends SocketFactory {
    @Override
    public Socket createSocket() {
      return new PeerSocket(this::secured, unresponsive, listener);
    }

    private SSLSocket secured(Socket plain) throws IOException {
      SSLSocket socket =
          (SSLSocket)
              context
                  .getSocketFactory()
                  .createSocket(
                      plain, plain.getInetAddress().getHostAddress(), plain.getPort(), true);
      socket.setEnabledProtocols(PROTOCOLS);
      return socket;
    }

    @Override
    public Socket createSocket(String host, int port) {
      throw unbound();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) {
      throw unbound();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
      throw unbound();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
      throw unbound();
    }
  }

  private final class Listening extends ServerSocketFactory {
    @Override
    public ServerSocket createServerSocket() throws IOException {
      return new Port();
    }

    @Override
    public ServerSocket createServerSocket(int port) {
      throw unbound();
    }

    @Override
    public ServerSocket createServerSocket(int port, int backlog) {
      throw unbound();
    }

    @Override
    public ServerSocket createServerSocket(int port, int backlog, InetAddress address) {
      throw unbound();
    }
  }

  private static UnsupportedOperationException unbound() {
    return new UnsupportedOperationException("the owner binds and connects the socket");
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
