package io.sluice.gateway.cli.training;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Self-signed certificate of the admin port in a training run, created by Java's keytool.
 * Immutable.
 *
 * @param certificate PEM file
 * @param key PEM file
 */
record TrainingCertificate(Path certificate, Path key) {
  private static final String ALIAS = "node";
  private static final String PASSWORD = "training";
  private static final long LIMIT_S = 60;
  private static final String OPTIONS =
      "-genkeypair -alias "
          + ALIAS
          + " -dname CN=localhost -keyalg EC -groupname secp256r1 -ext SAN=ip:127.0.0.1"
          + " -validity 1 -storetype PKCS12";

  /** Creates a certificate for 127.0.0.1 in a folder; empty if this Java has no keytool. */
  static Optional<TrainingCertificate> create(Path folder)
      throws IOException, InterruptedException {
    Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    if (!Files.isExecutable(keytool)) {
      return Optional.empty();
    }
    Path store = folder.resolve("node.p12");
    generate(keytool, store);
    return Optional.of(read(store, folder));
  }

  private static TrainingCertificate read(Path store, Path folder) throws IOException {
    try {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      try (InputStream in = Files.newInputStream(store)) {
        keys.load(in, PASSWORD.toCharArray());
      }
      byte[] key = keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded();
      byte[] certificate = keys.getCertificate(ALIAS).getEncoded();
      return new TrainingCertificate(
          pem(folder.resolve("certificate.pem"), "CERTIFICATE", certificate),
          pem(folder.resolve("key.pem"), "PRIVATE KEY", key));
    } catch (GeneralSecurityException e) {
      throw new IOException("cannot create a certificate for the training run: " + e, e);
    }
  }

  private static void generate(Path keytool, Path store) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(keytool.toString()));
    command.addAll(List.of(OPTIONS.split(" ")));
    command.addAll(List.of("-keystore", store.toString(), "-storepass", PASSWORD));
    Path log = store.resolveSibling("keytool.log");
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    Process process = builder.redirectOutput(log.toFile()).start();
    boolean ended = process.waitFor(LIMIT_S, TimeUnit.SECONDS);
    process.destroyForcibly();
    if (!ended || process.exitValue() != 0) {
      throw new IOException(
          (ended ? "keytool failed: " : "keytool did not end within " + LIMIT_S + " s: ")
              + Files.readString(log).strip());
    }
  }

  private static Path pem(Path file, String label, byte[] der) throws IOException {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return Files.writeString(
        file, "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n");
  }
}
