package io.sluice.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.handler.codec.http.cookie.Cookie;
import io.netty.handler.codec.http.cookie.ServerCookieDecoder;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.handshake.HandshakeRules;
import io.vertx.core.http.HttpServerRequest;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * Reader of the credential in a request: docs/PROTOCOL.md, section 11. Immutable, for any thread.
 */
final class RequestCredentials {
  private static final String BEARER = "bearer ";
  private static final String NEGOTIATE = "negotiate ";

  /** Malformed credential, which every authenticator rejects. */
  private static final Credential UNREADABLE = new Credential.Token("");

  private final String cookie;
  private final String parameter;
  private final boolean certificates;

  /**
   * @param cookie name of the cookie with a token; empty: none
   * @param parameter name of the URL parameter with a token; empty: none
   * @param certificates whether client certificates are requested
   */
  RequestCredentials(String cookie, String parameter, boolean certificates) {
    this.cookie = cookie;
    this.parameter = parameter;
    this.certificates = certificates;
  }

  /** Returns whether a parameter of the URL can be a credential. */
  boolean readsParameters() {
    return !parameter.isEmpty();
  }

  /**
   * Returns the first credential of: header, subprotocol, cookie, parameter of the URL,
   * certificate; or null.
   */
  Credential of(HttpServerRequest request) {
    Credential found = of(request.headers()::getAll, request::getParam);
    return found == null && certificates ? ofHandshake(request.sslSession()) : found;
  }

  /**
   * Returns the certificate of a TLS handshake, or null.
   *
   * @param session null without TLS
   */
  Credential of(SSLSession session) {
    return certificates && session != null ? ofHandshake(session) : null;
  }

  /**
   * Returns the first credential in headers and URL, or null.
   *
   * @param headers the values of all lines of a header, by its name in any case
   * @param parameters returns the value of a URL parameter, or null; throws
   *     IllegalArgumentException if the URL is malformed
   */
  Credential of(Function<String, List<String>> headers, UnaryOperator<String> parameters) {
    try {
      return find(headers, parameters);
    } catch (IllegalArgumentException malformed) {
      return UNREADABLE; // thrown by Netty's parsers of cookies and URLs
    }
  }

  private Credential find(
      Function<String, List<String>> headers, UnaryOperator<String> parameters) {
    Credential found = ofHeader(headers.apply("Authorization"));
    if (found == null) {
      found = ofSubprotocols(headers.apply("Sec-WebSocket-Protocol"));
    }
    if (found == null && !cookie.isEmpty()) {
      found = ofCookies(headers.apply("Cookie"));
    }
    if (found == null && !parameter.isEmpty()) {
      found = token(parameters.apply(parameter));
    }
    return found;
  }

  private static Credential ofHandshake(SSLSession session) {
    try {
      return new Credential.Certificate(
          Stream.of(session.getPeerCertificates()).map(X509Certificate.class::cast).toList());
    } catch (SSLPeerUnverifiedException none) {
      return null;
    }
  }

  private static Credential ofHeader(List<String> lines) {
    if (lines.isEmpty()) {
      return null;
    }
    String value = lines.get(0);
    String scheme = value.toLowerCase(Locale.ROOT);
    if (scheme.startsWith(BEARER)) {
      return token(value.substring(BEARER.length()).strip());
    }
    return scheme.startsWith(NEGOTIATE)
        ? ticket(value.substring(NEGOTIATE.length()).strip())
        : null;
  }

  private static Credential ticket(String encoded) {
    byte[] bytes = decode(Base64.getDecoder(), encoded);
    return encoded.isEmpty() ? null : new Credential.Ticket(bytes == null ? new byte[0] : bytes);
  }

  private static Credential ofSubprotocols(List<String> lines) {
    for (String line : lines) {
      for (String element : line.split(",", -1)) {
        String offered = element.strip();
        if (offered.startsWith(HandshakeRules.CREDENTIAL_SUBPROTOCOL)) {
          byte[] bytes =
              decode(
                  Base64.getUrlDecoder(),
                  offered.substring(HandshakeRules.CREDENTIAL_SUBPROTOCOL.length()));
          return bytes == null ? UNREADABLE : new Credential.Token(new String(bytes, UTF_8));
        }
      }
    }
    return null;
  }

  private Credential ofCookies(List<String> lines) {
    for (String line : lines) {
      for (Cookie each : ServerCookieDecoder.LAX.decodeAll(line)) {
        if (each.name().equals(cookie)) {
          return token(each.value());
        }
      }
    }
    return null;
  }

  private static Credential token(String value) {
    return value == null || value.isEmpty() ? null : new Credential.Token(value);
  }

  private static byte[] decode(Base64.Decoder decoder, String text) {
    try {
      return decoder.decode(text);
    } catch (IllegalArgumentException malformed) {
      return null;
    }
  }
}
