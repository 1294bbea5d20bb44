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
 * The blocks of a PEM file (RFC 7468) that a setting names; text between them is no matter.
 * Immutable, for any thread.
 *
 * @param setting the key that names the file
 * @param name the file, as it is written there
 * @param blocks in the file's order
 */
public record PemFile(Setting<?> setting, String name, List<PemBlock> blocks) {
  /** The largest file that is read; a chain of certificates takes some KiB. */
  static final int MOST_BYTES = 1024 * 1024;

  static PemFile read(Setting<?> setting, String name) throws UnusableTls {
    return parse(setting, name, text(load(setting, name, MOST_BYTES)));
  }

  /** The blocks of a text that was read already. */
  public static PemFile parse(Setting<?> setting, String name, String text) throws UnusableTls {
    try {
      return new PemFile(setting, name, SettingFile.pemBlocks(text));
    } catch (IllegalArgumentException e) {
      throw unusable(setting, name, e.getMessage(), e);
    }
  }

  /** The text of a file's bytes; what is no ASCII stands between the blocks. */
  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** What a file holds, whatever that is; a longer one is refused. */
  static byte[] load(Setting<?> setting, String name, int mostBytes) throws UnusableTls {
    Path path = path(setting, name);
    if (!Files.exists(path)) {
      throw unusable(setting, name, "does not exist", null);
    }
    if (Files.isDirectory(path)) {
      throw unusable(setting, name, "is a folder", null);
    }
    try (InputStream in = Files.newInputStream(path)) {
      byte[] bytes = in.readNBytes(mostBytes + 1);
      if (bytes.length > mostBytes) {
        throw unusable(setting, name, "has more than " + mostBytes + " bytes", null);
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

  /** Those with this label. */
  public List<PemBlock> blocks(String label) {
    return blocks.stream().filter(block -> block.label().equals(label)).toList();
  }

  /** The whole file's problem. */
  UnusableTls unusable(String what, Throwable cause) {
    return unusable(setting, name, what, cause);
  }

  private static UnusableTls unusable(
      Setting<?> setting, String name, String what, Throwable cause) {
    return new UnusableTls(setting, name + " " + what, cause);
  }
}
