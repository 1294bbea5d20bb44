package io.sluice.cluster.peer;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Asks another whom to trust, and tells of those whom it does not. For any thread.
 *
 * <p>A node's host name is never compared: it was found by an address, and what makes it a node is
 * its certificate alone.
 */
final class PeerTrust extends X509ExtendedTrustManager {
  private final X509ExtendedTrustManager judge;
  private final PeerListener listener;

  PeerTrust(X509ExtendedTrustManager judge, PeerListener listener) {
    this.judge = judge;
    this.listener = listener;
  }

  private interface Check {
    void run() throws CertificateException;
  }

  private void tell(Socket socket, Check check) throws CertificateException {
    try {
      check.run();
    } catch (CertificateException e) {
      listener.onRefused(String.valueOf(socket.getInetAddress()), e.getMessage());
      throw e;
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    tell(socket, () -> judge.checkClientTrusted(chain, type));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    tell(socket, () -> judge.checkServerTrusted(chain, type));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    judge.checkClientTrusted(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    judge.checkServerTrusted(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    judge.checkClientTrusted(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    judge.checkServerTrusted(chain, type);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0]; // or others would show nothing rather than what is refused
  }
}
