package io.sluice.gateway.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The blocks of a PEM file (RFC 7468) that a setting names; text between them is no matter.
 * Immutable, for any thread.
 *
 * @param setting the key that names the file
 * @param name the file, as it is written there
 * @param blocks in the file's order
 */
public record PemFile(Setting<?> setting, String name, List<Block> blocks) {
  /** The largest file that is read; a chain of certificates takes some KiB. */
  static final int MOST_BYTES = 1024 * 1024;

  private static final Pattern BLOCK =
      Pattern.compile(
          "-----BEGIN ([A-Z0-9 ]++)-----([^-]*+)-----END \\1-----", Pattern.CASE_INSENSITIVE);

  /**
   * @param label what the block holds, such as CERTIFICATE
   * @param der its content, not interpreted
   */
  public record Block(String label, byte[] der) {}

  static PemFile read(Setting<?> setting, String name) throws UnusableTls {
    return parse(setting, name, text(load(setting, name, MOST_BYTES)));
  }

  /** The blocks of a text that was read already. */
  public static PemFile parse(Setting<?> setting, String name, String text) throws UnusableTls {
    List<Block> blocks = new ArrayList<>();
    for (Matcher block = BLOCK.matcher(text); block.find(); ) {
      blocks.add(new Block(block.group(1), decode(setting, name, block)));
    }
    return new PemFile(setting, name, List.copyOf(blocks));
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
      throw unusable(setting, name, "cannot be read: " + FileFailure.why(e), e);
    }
  }

  private static Path path(Setting<?> setting, String name) throws UnusableTls {
    try {
      return Path.of(name);
    } catch (InvalidPathException e) {
      throw unusable(setting, name, "is not the name of a file", e);
    }
  }

  private static byte[] decode(Setting<?> setting, String name, Matcher block) throws UnusableTls {
    try {
      return Base64.getDecoder().decode(block.group(2).replaceAll("\\s", ""));
    } catch (IllegalArgumentException e) {
      String what = "has a block " + block.group(1) + " that is not base64";
      throw unusable(setting, name, what, e);
    }
  }

  /** Those with this label. */
  public List<Block> blocks(String label) {
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
