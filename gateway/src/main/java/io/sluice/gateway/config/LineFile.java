package io.sluice.gateway.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * A file whose one line is a value that changes while the node runs, such as a password. Immutable,
 * for any thread that may wait for a disk.
 *
 * @param setting the key that names the file
 * @param name the file, as it is written there
 */
public record LineFile(Setting<String> setting, String name) {
  /** The longest line, in bytes. */
  static final int MOST_BYTES = 4096;

  /**
   * Reads the line as it is now, without its end.
   *
   * @throws IOException if there is no such line; the message begins with the key, names the file
   *     and holds nothing of its content
   */
  public String read() throws IOException {
    List<String> lines = new String(bytes(), StandardCharsets.UTF_8).lines().toList();
    if (lines.size() != 1 || lines.get(0).isEmpty()) {
      throw unusable("has " + lines.size() + " lines, not one that says something", null);
    }
    return lines.get(0);
  }

  private byte[] bytes() throws IOException {
    try (InputStream in = Files.newInputStream(Path.of(name))) {
      byte[] bytes = in.readNBytes(MOST_BYTES + 1);
      if (bytes.length > MOST_BYTES) {
        throw unusable("has more than " + MOST_BYTES + " bytes", null);
      }
      return bytes;
    } catch (InvalidPathException | NoSuchFileException e) {
      throw unusable("does not exist", e);
    } catch (UnusableLine e) {
      throw e;
    } catch (IOException e) {
      throw unusable("cannot be read: " + FileFailure.why(e), e);
    }
  }

  private UnusableLine unusable(String what, Exception cause) {
    return new UnusableLine(setting.key() + ": " + name + " " + what, cause);
  }

  /** Said already what was wrong. */
  private static final class UnusableLine extends IOException {
    private static final long serialVersionUID = 1L;

    UnusableLine(String message, Exception cause) {
      super(message, cause);
    }
  }
}
