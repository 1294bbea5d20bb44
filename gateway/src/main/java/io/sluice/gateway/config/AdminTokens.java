package io.sluice.gateway.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;

/**
 * The bearer tokens of operators, as hashes, so that comparing takes as long for any. Immutable,
 * for any thread.
 */
public final class AdminTokens {
  /** Characters that a token has at least. */
  static final int SHORTEST = 16;

  /** The largest file that is read, in bytes. */
  static final int MOST_BYTES = 64 * 1024;

  private final List<byte[]> hashes;

  private AdminTokens(List<byte[]> hashes) {
    this.hashes = hashes;
  }

  /**
   * Reads those of the setting and of the file.
   *
   * @throws UnusableToken with a message that holds nothing of a token
   */
  public static AdminTokens read(Config config) throws UnusableToken {
    List<byte[]> hashes = new ArrayList<>();
    String single = config.get(Settings.ADMIN_TOKEN);
    if (!single.isEmpty()) {
      hashes.add(hash(checked(Settings.ADMIN_TOKEN, "", single)));
    }
    String file = config.get(Settings.ADMIN_TOKEN_FILE);
    if (!file.isEmpty()) {
      hashes.addAll(ofFile(file));
    }
    return new AdminTokens(List.copyOf(hashes));
  }

  private static List<byte[]> ofFile(String name) throws UnusableToken {
    List<byte[]> hashes = new ArrayList<>();
    String[] lines = load(name).split("\\R");
    for (int i = 0; i < lines.length; i++) {
      String line = lines[i].strip();
      if (!line.isEmpty()) {
        String place = name + ", line " + (i + 1) + ": ";
        hashes.add(hash(checked(Settings.ADMIN_TOKEN_FILE, place, line)));
      }
    }
    if (hashes.isEmpty()) {
      throw new UnusableToken(Settings.ADMIN_TOKEN_FILE, name + " holds no token");
    }
    return hashes;
  }

  private static String load(String name) throws UnusableToken {
    try (InputStream in = Files.newInputStream(Path.of(name))) {
      byte[] bytes = in.readNBytes(MOST_BYTES + 1);
      if (bytes.length > MOST_BYTES) {
        String what = name + " has more than " + MOST_BYTES + " bytes";
        throw new UnusableToken(Settings.ADMIN_TOKEN_FILE, what);
      }
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException | InvalidPathException e) {
      throw new UnusableToken(
          Settings.ADMIN_TOKEN_FILE, name + " cannot be read: " + FileFailure.why(e));
    }
  }

  // What a header can carry as it is, so that nothing depends on how a proxy encodes the rest.
  private static String checked(Setting<String> setting, String place, String token)
      throws UnusableToken {
    if (token.length() < SHORTEST) {
      String what = place + "a token of " + token.length() + " characters is too short";
      throw new UnusableToken(setting, what);
    }
    if (!token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw new UnusableToken(setting, place + "a token has a character that is not plain ASCII");
    }
    return token;
  }

  /** Whether there are none, so that nobody is asked for one. */
  public boolean isEmpty() {
    return hashes.isEmpty();
  }

  /** Whether this is one of them. */
  public boolean contain(String token) {
    byte[] asked = hash(token);
    boolean found = false;
    for (byte[] hash : hashes) {
      found |= MessageDigest.isEqual(hash, asked);
    }
    return found;
  }

  private static byte[] hash(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }
}
