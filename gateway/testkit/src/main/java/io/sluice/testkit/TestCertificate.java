package io.sluice.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;

/**
 * Self-signed certificate for 127.0.0.1 and localhost, created by the JDK's keytool. Contains the
 * files of a node and the trust of a client. For any thread.
 *
 * @param certificate a PEM file
 * @param key a PEM file, PKCS#8
 * @param trust for clients
 */
public record TestCertificate(Path certificate, Path key, SSLContext trust) {
  private static final String ALIAS = "node";

  /**
   * Creates a certificate.
   *
   * @param folder folder for the files
   * @param name prefix of the file names
   * @param algorithm EC or RSA
   */
  public static TestCertificate create(Path folder, String name, String algorithm) {
    Path store = folder.resolve(name + ".p12");
    try {
      generate(store, algorithm);
      KeyStore made = TestAuthority.load(store);
      byte[] key = made.getKey(ALIAS, TestAuthority.PASSWORD.toCharArray()).getEncoded();
      byte[] certificate = made.getCertificate(ALIAS).getEncoded();
      return new TestCertificate(
          write(folder.resolve(name + "-certificate.pem"), "CERTIFICATE", certificate),
          write(folder.resolve(name + "-key.pem"), "PRIVATE KEY", key),
          TestAuthority.trusting(made.getCertificate(ALIAS)));
    } catch (GeneralSecurityException | IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void generate(Path store, String algorithm) {
    List<String> arguments =
        new ArrayList<>(List.of("-genkeypair", "-alias", ALIAS, "-dname", "CN=localhost"));
    arguments.addAll(List.of("-keyalg", algorithm));
    if (algorithm.equals("EC")) {
      arguments.addAll(List.of("-groupname", "secp256r1"));
    }
    arguments.addAll(List.of("-ext", "SAN=ip:127.0.0.1,dns:localhost", "-validity", "30"));
    Keytool.run(store, TestAuthority.PASSWORD, arguments);
  }

  /** Writes a PEM file of one block. */
  public static Path write(Path file, String label, byte[] der) throws IOException {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return Files.writeString(
        file, "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n");
  }
}
