package io.sluice.gateway.tls;

import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.SettingFile;
import io.sluice.gateway.config.SettingFile.PemBlock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/**
 * Blocks of a configured PEM file (RFC 7468); text between them is ignored. Immutable, for any
 * thread.
 *
 * @param setting that names the file
 * @param name of the file, as configured
 * @param blocks in the order of the file
 */
public record PemFile(Setting<?> setting, String name, List<PemBlock> blocks) {
  /** Maximum size of a file; a certificate chain has some KiB. */
  static final int MAX_BYTES = 1024 * 1024;

  static PemFile read(Setting<?> setting, String name) throws UnusableTls {
    return parse(setting, name, text(load(setting, name, MAX_BYTES)));
  }

  /** Parses the text of a file. */
  public static PemFile parse(Setting<?> setting, String name, String text) throws UnusableTls {
    try {
      return new PemFile(setting, name, SettingFile.pemBlocks(text));
    } catch (IllegalArgumentException e) {
      throw unusable(setting, name, e.getMessage(), e);
    }
  }

  /**
   * Returns the text of a file's bytes. Characters other than ASCII are outside the blocks only.
   */
  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** Reads the bytes of a file of limited size. */
  static byte[] load(Setting<?> setting, String name, int maxBytes) throws UnusableTls {
    Path path = path(setting, name);
    if (!Files.exists(path)) {
      throw unusable(setting, name, "does not exist", null);
    }
    if (Files.isDirectory(path)) {
      throw unusable(setting, name, "is a folder", null);
    }
    try (InputStream in = Files.newInputStream(path)) {
      byte[] bytes = in.readNBytes(maxBytes + 1);
      if (bytes.length > maxBytes) {
        throw unusable(setting, name, "has more than " + maxBytes + " bytes", null);
      }
      return bytes;
    } catch (IOException e) {
      throw unusable(setting, name, "cannot be read: " + SettingFile.reason(e), e);
    }
  }

  private static Path path(Setting<?> setting, String name) throws UnusableTls {
    try {
      return Path.of(name);
    } catch (InvalidPathException e) {
      throw unusable(setting, name, "is not a valid file name", e);
    }
  }

  /** Returns the blocks with a label. */
  public List<PemBlock> blocks(String label) {
    return blocks.stream().filter(block -> block.label().equals(label)).toList();
  }

  /** Returns the exception for a problem of the file. */
  UnusableTls unusable(String what, Throwable cause) {
    return unusable(setting, name, what, cause);
  }

  private static UnusableTls unusable(
      Setting<?> setting, String name, String what, Throwable cause) {
    return new UnusableTls(setting, name + " " + what, cause);
  }
}
