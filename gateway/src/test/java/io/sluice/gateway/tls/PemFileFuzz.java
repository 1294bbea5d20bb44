package io.sluice.gateway.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.Setting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads bytes as a node's certificate and key in one file, as its authorities, and as their
 * revocation list. Each is usable, or the message contains setting and file.
 */
public final class PemFileFuzz {
  private static final Path FILE = create();
  private static final String NAME = FILE.toString();

  private PemFileFuzz() {}

  private interface Reading {
    Object read() throws UnusableTls;
  }

  private static Path create() {
    try {
      Path file = Files.createTempFile("sluice-fuzz", ".pem");
      file.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static void fuzzerTestOneInput(byte[] input) {
    try {
      Files.write(FILE, input);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Setting<String> pair = ServerSettings.TLS_CERTIFICATE;
    check(pair, () -> TlsIdentity.read(PemFile.read(pair, NAME), PemFile.read(pair, NAME)));
    Setting<String> authorities = ServerSettings.TLS_CLIENT_CA;
    check(authorities, () -> TlsIdentity.certificates(PemFile.read(authorities, NAME)));
    check(ServerSettings.TLS_CLIENT_CRL, () -> TlsFiles.ClientTrust.revocations(NAME));
  }

  private static void check(Setting<?> setting, Reading reading) {
    try {
      assertThat(reading.read()).isNotNull();
    } catch (UnusableTls e) {
      assertThat(e).hasMessageStartingWith(setting.key() + ": ");
      assertThat(e).hasMessageContaining(NAME);
    }
  }
}
