package io.sluice.gateway.broker.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.SettingFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import java.util.Collection;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Options of the schema registry. Immutable, for any thread.
 *
 * @param url URL without a slash at its end
 * @param topics Kafka topics whose values have schemas
 * @param secret user:password or a bearer token; empty for none
 * @param secretFile file with the secret; its name is empty for none
 * @param trust PEM file with authorities; empty for those of the JDK
 */
public record RegistryOptions(
    String url, Set<String> topics, String secret, SettingFile secretFile, String trust) {
  private static final Setting<String> FILE = KafkaSettings.REGISTRY_SECRET_FILE;

  /** Reads the options from the configuration. */
  public static RegistryOptions of(Config config) {
    return new RegistryOptions(
        config.get(KafkaSettings.REGISTRY_URL).replaceAll("/+$", ""),
        Set.copyOf(config.get(KafkaSettings.REGISTRY_TOPICS)),
        config.get(KafkaSettings.REGISTRY_SECRET),
        new SettingFile(FILE, config.get(FILE)),
        config.get(KafkaSettings.REGISTRY_TRUST));
  }

  /** Returns the reason for which the file of authorities is unusable, or null. */
  public String trustProblem() {
    try {
      context();
      return null;
    } catch (IOException | GeneralSecurityException | InvalidPathException e) {
      return trust + " cannot be used: " + SettingFile.reason(e);
    }
  }

  /** Returns the value of the header Authorization, or null. Blocks for a file. */
  String authorization() throws IOException {
    String given = secretFile.name().isEmpty() ? secret : secretFile.read();
    if (given.isEmpty()) {
      return null;
    }
    return given.indexOf(':') < 0
        ? "Bearer " + given
        : "Basic " + Base64.getEncoder().encodeToString(given.getBytes(UTF_8));
  }

  /** Creates the context that verifies the registry's certificate. */
  SSLContext context() throws IOException, GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(trust.isEmpty() ? null : authorities());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, factory.getTrustManagers(), null);
    return context;
  }

  private KeyStore authorities() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (InputStream pem = Files.newInputStream(Path.of(trust))) {
      Collection<? extends Certificate> all =
          CertificateFactory.getInstance("X.509").generateCertificates(pem);
      if (all.isEmpty()) {
        throw new CertificateException("it has no PEM certificate");
      }
      for (Certificate each : all) {
        store.setCertificateEntry("authority-" + store.size(), each);
      }
    }
    return store;
  }
}
