package io.sluice.gateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.AuthSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jose4j.jwk.PublicJsonWebKey;

/**
 * Fuzz test of files with public keys: the result is keys, or an error that names file and setting.
 */
public final class KeyFileFuzz {
  private static final Path FILE = create();

  private KeyFileFuzz() {}

  private static Path create() {
    try {
      Path file = Files.createTempFile("sluice-fuzz", ".keys");
      file.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static void fuzzerTestOneInput(byte[] input) {
    try {
      Files.write(FILE, input);
      List<PublicJsonWebKey> keys = new KeyFile(FILE).keys();
      assertThat(keys).isNotEmpty();
      assertThat(keys).allMatch(key -> key.getPublicKey() != null && KeyRing.isLongEnough(key));
    } catch (UnusableAuth e) {
      assertThat(e).hasMessageContaining(AuthSettings.JWT_KEYS.key());
      assertThat(e).hasMessageContaining(FILE.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
