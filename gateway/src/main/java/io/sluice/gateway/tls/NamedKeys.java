package io.sluice.gateway.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

/**
 * Shows each client the certificate of the host that it names (SNI, RFC 6066), and the first one to
 * those that name none, or one that no certificate is for. Immutable, for any thread.
 */
final class NamedKeys extends X509ExtendedKeyManager {
  private static final int DNS = 2; // the tag of RFC 5280's GeneralName
  private static final String FIRST = "0";

  private final List<TlsIdentity> identities;

  /** Aliases, which are indices, by host in lower case or its wildcard, as certificates have it. */
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
      return List.of(); // it is for nobody who names a host
    }
  }

  // OpenSSL asks for a key of each kind, whichever of them the client takes, so that a host cannot
  // have certificates of several kinds.
  @Override
  public String chooseEngineServerAlias(String kind, Principal[] issuers, SSLEngine engine) {
    String alias = alias(host(engine));
    return identity(alias).key().getAlgorithm().equals(kind) ? alias : null;
  }

  private String alias(String host) {
    String exactly = aliases.get(host);
    int dot = host.indexOf('.');
    return exactly == null && dot >= 0
        ? aliases.getOrDefault("*" + host.substring(dot), FIRST)
        : Objects.requireNonNullElse(exactly, FIRST);
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
    return null; // as for sockets below: the engines only choose
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
