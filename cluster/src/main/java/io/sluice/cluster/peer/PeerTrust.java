package io.sluice.cluster.peer;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trust manager that delegates to another one and reports rejected peers. For any thread.
 *
 * <p>Host names are not verified: nodes are found by address, and authenticated by their
 * certificate only.
 */
final class PeerTrust extends X509ExtendedTrustManager {
  private final X509ExtendedTrustManager delegate;
  private final String refusal;
  private final PeerListener listener;

  /**
   * @param refusal reported reason of a rejection; null for that of the delegate
   */
  PeerTrust(X509ExtendedTrustManager delegate, String refusal, PeerListener listener) {
    this.delegate = delegate;
    this.refusal = refusal;
    this.listener = listener;
  }

  private interface Check {
    void run() throws CertificateException;
  }

  private void report(Socket socket, Check check) throws CertificateException {
    try {
      check.run();
    } catch (CertificateException e) {
      String cause = refusal == null ? e.getMessage() : refusal;
      listener.onRefused(String.valueOf(socket.getInetAddress()), cause);
      throw e;
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    report(socket, () -> delegate.checkClientTrusted(chain, type));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    report(socket, () -> delegate.checkServerTrusted(chain, type));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    delegate.checkClientTrusted(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    delegate.checkServerTrusted(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    delegate.checkClientTrusted(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    delegate.checkServerTrusted(chain, type);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate
        [0]; // a list would make peers send no certificate, and hide the reason of a rejection
  }
}
