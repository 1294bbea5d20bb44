package io.sluice.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/**
 * Certificate authority for nodes and clients, based on the JDK's keytool. Confined to one thread.
 */
public final class TestAuthority {
  /** Password of all key stores. */
  public static final String PASSWORD = "password";

  private static final String CA = "ca";

  private final Path folder;
  private final String name;
  private final Path store;

  private TestAuthority(Path folder, String name) {
    this.folder = folder;
    this.name = name;
    this.store = folder.resolve(name + ".p12");
  }

  /** Creates an authority whose files are in a folder and start with a name. */
  public static TestAuthority create(Path folder, String name) {
    TestAuthority made = new TestAuthority(folder, name);
    made.generate(CA, "CN=" + name, "EC", "-ext", "bc:c", "-ext", "ku=keyCertSign,cRLSign");
    return made;
  }

  /**
   * Certificate and its key.
   *
   * @param certificate a PEM file
   * @param key a PEM file, PKCS#8
   * @param serial the serial number, hexadecimal
   * @param context TLS context that presents the certificate and trusts its authority
   * @param store PKCS#12 file with certificate, key and authority
   */
  public record Issued(Path certificate, Path key, String serial, SSLContext context, Path store) {
    /** Returns key managers with the certificate and its key. */
    public KeyManager[] keys() {
      try {
        return keyManagers(load(store));
      } catch (GeneralSecurityException | IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** Issues a certificate with an EC key and keytool extensions, such as SAN=dns:host. */
  public Issued issue(String alias, String subject, String... extensions) {
    return issue(alias, subject, "EC", List.of(), extensions);
  }

  /**
   * Issues a certificate.
   *
   * @param kind EC or RSA
   * @param more further arguments of keytool
   */
  public Issued issue(
      String alias, String subject, String kind, List<String> more, String... extensions) {
    List<String> arguments = new ArrayList<>(List.of("-signer", CA));
    arguments.addAll(more);
    for (String extension : extensions) {
      arguments.addAll(List.of("-ext", extension));
    }
    generate(alias, subject, kind, arguments.toArray(String[]::new));
    try {
      return issued(alias);
    } catch (GeneralSecurityException | IOException e) {
      throw new AssertionError(e);
    }
  }

  private Issued issued(String alias) throws GeneralSecurityException, IOException {
    KeyStore all = load();
    X509Certificate certificate = (X509Certificate) all.getCertificate(alias);
    char[] password = PASSWORD.toCharArray();
    KeyStore own = KeyStore.getInstance("PKCS12");
    own.load(null, null);
    own.setKeyEntry(
        alias, all.getKey(alias, password), password, new X509Certificate[] {certificate});
    own.setCertificateEntry("authority", all.getCertificate(CA));
    Path file = folder.resolve(name + "-" + alias + ".p12");
    try (OutputStream out = Files.newOutputStream(file)) {
      own.store(out, password);
    }
    return new Issued(
        TestCertificate.write(
            folder.resolve(name + "-" + alias + "-certificate.pem"),
            "CERTIFICATE",
            certificate.getEncoded()),
        TestCertificate.write(
            folder.resolve(name + "-" + alias + "-key.pem"),
            "PRIVATE KEY",
            all.getKey(alias, password).getEncoded()),
        certificate.getSerialNumber().toString(16),
        context(own, CA, all),
        file);
  }

  private static SSLContext context(KeyStore own, String authority, KeyStore all)
      throws GeneralSecurityException, IOException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keyManagers(own), trust(all.getCertificate(authority)), null);
    return context;
  }

  private static KeyManager[] keyManagers(KeyStore own) throws GeneralSecurityException {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(own, PASSWORD.toCharArray());
    return keys.getKeyManagers();
  }

  private static TrustManager[] trust(Certificate authority)
      throws GeneralSecurityException, IOException {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry(CA, authority);
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    return managers.getTrustManagers();
  }

  /** Returns a context for clients without a certificate that trusts an authority. */
  static SSLContext trusting(Certificate authority) throws GeneralSecurityException, IOException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust(authority), null);
    return context;
  }

  /** Returns a context with the certificate of the first store and the authority of the second. */
  public static SSLContext context(Path own, Path trusted) {
    try {
      return context(load(own), "authority", load(trusted));
    } catch (GeneralSecurityException | IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns a context for clients without a certificate. */
  public SSLContext trust() {
    try {
      return trusting(load().getCertificate(CA));
    } catch (GeneralSecurityException | IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the authority's certificate as a PEM file. */
  public Path certificate() {
    try {
      return TestCertificate.write(
          folder.resolve(name + "-ca.pem"), "CERTIFICATE", load().getCertificate(CA).getEncoded());
    } catch (GeneralSecurityException | IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns a PEM file with a certificate, followed by that of the authority. */
  public Path chain(Issued certificate) {
    try {
      Path file = folder.resolve(certificate.certificate().getFileName() + "-chain.pem");
      return Files.writeString(
          file, Files.readString(certificate.certificate()) + Files.readString(certificate()));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the authority's certificate. */
  public X509Certificate own() {
    try {
      return (X509Certificate) load().getCertificate(CA);
    } catch (GeneralSecurityException | IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the authority's private key. */
  PrivateKey key() {
    try {
      return (PrivateKey) load().getKey(CA, PASSWORD.toCharArray());
    } catch (GeneralSecurityException | IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Writes a revocation list, PEM. */
  public void revoke(Path file, Issued... revoked) {
    List<String> arguments =
        new ArrayList<>(List.of("-gencrl", "-rfc", "-alias", CA, "-file", file.toString()));
    for (Issued each : revoked) {
      arguments.addAll(List.of("-id", new BigInteger(each.serial(), 16).toString()));
    }
    Keytool.run(store, PASSWORD, arguments);
  }

  private KeyStore load() throws GeneralSecurityException, IOException {
    return load(store);
  }

  static KeyStore load(Path store) throws GeneralSecurityException, IOException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return keys;
  }

  private void generate(String alias, String subject, String kind, String... more) {
    List<String> arguments =
        new ArrayList<>(List.of("-genkeypair", "-alias", alias, "-dname", subject));
    arguments.addAll(
        kind.equals("EC")
            ? List.of("-keyalg", "EC", "-groupname", "secp256r1")
            : List.of("-keyalg", kind));
    List<String> others = List.of(more);
    arguments.addAll(others);
    if (!others.contains("-validity")) {
      arguments.addAll(List.of("-validity", "30"));
    }
    Keytool.run(store, PASSWORD, arguments);
  }
}
