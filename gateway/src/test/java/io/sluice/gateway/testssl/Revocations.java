package io.sluice.gateway.testssl;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.testkit.TestAuthority;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;

/** HTTP server of an authority's revocation list. Any thread may start and close it. */
final class Revocations implements AutoCloseable {
  private final HttpServer server;

  private Revocations(HttpServer server) {
    this.server = server;
  }

  /** Begins to listen. */
  static Revocations start() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.start();
    return new Revocations(server);
  }

  /** Returns keytool's arguments for the revocation URL of certificates. */
  String[] extensions() {
    String base = "uri:http://127.0.0.1:" + server.getAddress().getPort();
    return new String[] {"crl=" + base + "/crl"};
  }

  /** Serves a list that revokes nothing. */
  void vouch(TestAuthority authority, Path folder) throws IOException, GeneralSecurityException {
    Path list = folder.resolve("revoked.pem");
    authority.revoke(list);
    try (InputStream in = Files.newInputStream(list)) {
      X509CRL read = (X509CRL) CertificateFactory.getInstance("X.509").generateCRL(in);
      serve("/crl", "application/pkix-crl", read.getEncoded());
    }
  }

  private void serve(String path, String type, byte[] body) {
    server.createContext(path, exchange -> answer(exchange, type, body));
  }

  private static void answer(HttpExchange exchange, String type, byte[] body) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      exchange.getResponseHeaders().set("Content-Type", type);
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
