package io.sluice.gateway.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * File with a value that may change while the node runs, such as a password. Immutable, for any
 * thread that may block on a disk. Also parses PEM and explains why files cannot be read.
 *
 * @param setting the key whose value is the file name
 * @param name the file name as configured
 */
public record SettingFile(Setting<String> setting, String name) {
  /** Largest file, in bytes. */
  static final int MAX_BYTES = 4096;

  private static final String FOLDER = "Is a directory";

  private static final Pattern PEM_BLOCK =
      Pattern.compile(
          "-----BEGIN ([A-Z0-9 ]++)-----([^-]*+)-----END \\1-----", Pattern.CASE_INSENSITIVE);

  /**
   * Block of a PEM text.
   *
   * @param label the type of the content, such as CERTIFICATE
   * @param der the decoded content
   */
  public record PemBlock(String label, byte[] der) {}

  /**
   * Returns the blocks of a PEM text (RFC 7468). Text between blocks is ignored.
   *
   * @throws IllegalArgumentException if a block is not base64; the message continues the file name
   */
  public static List<PemBlock> pemBlocks(String text) {
    List<PemBlock> blocks = new ArrayList<>();
    for (Matcher block = PEM_BLOCK.matcher(text); block.find(); ) {
      blocks.add(new PemBlock(block.group(1), decoded(block)));
    }
    return List.copyOf(blocks);
  }

  private static byte[] decoded(Matcher block) {
    try {
      return Base64.getDecoder().decode(block.group(2).replaceAll("\\s", ""));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "has a block " + block.group(1) + " that is not base64", e);
    }
  }

  /**
   * Returns the file's current line, without its line break.
   *
   * @throws IOException if the file has no single line; the message contains the key and the file
   *     name, but no content
   */
  public String read() throws IOException {
    List<String> lines = new String(bytes(), StandardCharsets.UTF_8).lines().toList();
    if (lines.size() != 1 || lines.get(0).isEmpty()) {
      throw unusable("has " + lines.size() + " lines; expected one line that is not empty", null);
    }
    return lines.get(0);
  }

  private byte[] bytes() throws IOException {
    try (InputStream in = Files.newInputStream(Path.of(name))) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw unusable("has more than " + MAX_BYTES + " bytes", null);
      }
      return bytes;
    } catch (InvalidPathException | NoSuchFileException e) {
      throw unusable("does not exist", e);
    } catch (UnusableLine e) {
      throw e;
    } catch (IOException e) {
      throw unusable("cannot be read: " + reason(e), e);
    }
  }

  private UnusableLine unusable(String what, Exception cause) {
    return new UnusableLine(setting.key() + ": " + name + " " + what, cause);
  }

  /** Returns the reason why a file could not be read, if possible without the file name. */
  public static String reason(Exception failure) {
    if (failure instanceof NoSuchFileException) {
      return "there is no such file";
    }
    if (failure instanceof AccessDeniedException) {
      return "the gateway's user has no permission";
    }
    if (failure instanceof InvalidPathException) {
      return "this is not a valid file name";
    }
    if (failure instanceof FileSystemException of && of.getReason() != null) {
      return of.getReason();
    }
    String message = failure.getMessage();
    if (FOLDER.equals(message)) {
      return "it is a folder";
    }
    return message == null ? failure.getClass().getSimpleName() : message;
  }

  /** Failure whose message is complete. */
  private static final class UnusableLine extends IOException {
    private static final long serialVersionUID = 1L;

    UnusableLine(String message, Exception cause) {
      super(message, cause);
    }
  }
}
