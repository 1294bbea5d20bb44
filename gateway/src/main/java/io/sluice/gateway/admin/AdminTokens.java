package io.sluice.gateway.admin;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.SettingFile;
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
import java.util.Optional;

/**
 * The bearer tokens of operators, as hashes, so that comparing takes as long for any. Immutable,
 * for any thread.
 */
public final class AdminTokens {
  /** Characters that a token has at least. */
  static final int SHORTEST = 16;

  /** The largest file that is read, in bytes. */
  static final int MOST_BYTES = 64 * 1024;

  private final List<Known> known;

  /**
   * A token.
   *
   * @param name the setting, and the line if it is one of the file
   */
  private record Known(String name, byte[] hash) {}

  private AdminTokens(List<Known> known) {
    this.known = known;
  }

  /**
   * Reads those of the setting and of the file.
   *
   * @throws Unusable with a message that holds nothing of a token
   */
  public static AdminTokens read(AdminOptions options) throws Unusable {
    List<Known> known = new ArrayList<>();
    String single = options.token();
    if (!single.isEmpty()) {
      byte[] hash = hash(checked(AdminSettings.TOKEN, "", single));
      known.add(new Known(AdminSettings.TOKEN.key(), hash));
    }
    String file = options.tokenFile();
    if (!file.isEmpty()) {
      known.addAll(ofFile(file));
    }
    return new AdminTokens(List.copyOf(known));
  }

  /** Reports tokens that cannot be used. */
  public static void check(ConfigFindings findings) {
    try {
      read(AdminOptions.of(findings.config()));
    } catch (Unusable e) {
      findings.report(e.what(), "tokens of 16 characters or more", e.setting());
    }
  }

  private static List<Known> ofFile(String name) throws Unusable {
    List<Known> known = new ArrayList<>();
    String[] lines = load(name).split("\\R");
    for (int i = 0; i < lines.length; i++) {
      String line = lines[i].strip();
      if (!line.isEmpty()) {
        String place = name + ", line " + (i + 1) + ": ";
        byte[] hash = hash(checked(AdminSettings.TOKEN_FILE, place, line));
        known.add(new Known(AdminSettings.TOKEN_FILE.key() + ":" + (i + 1), hash));
      }
    }
    if (known.isEmpty()) {
      throw new Unusable(AdminSettings.TOKEN_FILE, name + " holds no token");
    }
    return known;
  }

  private static String load(String name) throws Unusable {
    try (InputStream in = Files.newInputStream(Path.of(name))) {
      byte[] bytes = in.readNBytes(MOST_BYTES + 1);
      if (bytes.length > MOST_BYTES) {
        String what = name + " has more than " + MOST_BYTES + " bytes";
        throw new Unusable(AdminSettings.TOKEN_FILE, what);
      }
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException | InvalidPathException e) {
      throw new Unusable(
          AdminSettings.TOKEN_FILE, name + " cannot be read: " + SettingFile.reason(e));
    }
  }

  // What a header can carry as it is, so that nothing depends on how a proxy encodes the rest.
  private static String checked(Setting<String> setting, String place, String token)
      throws Unusable {
    if (token.length() < SHORTEST) {
      String what = place + "a token of " + token.length() + " characters is too short";
      throw new Unusable(setting, what);
    }
    if (!token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw new Unusable(setting, place + "a token has a character that is not plain ASCII");
    }
    return token;
  }

  /** Whether there are none, so that nobody is asked for one. */
  public boolean isEmpty() {
    return known.isEmpty();
  }

  /**
   * Which of them this is, by a name that holds nothing of it: {@code admin.token}, or {@code
   * admin.token-file:3} for the third line of the file. Empty if it is none.
   */
  public Optional<String> nameOf(String token) {
    byte[] asked = hash(token);
    String found = null;
    for (Known each : known) {
      boolean same = MessageDigest.isEqual(each.hash(), asked);
      found = same && found == null ? each.name() : found;
    }
    return Optional.ofNullable(found);
  }

  private static byte[] hash(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  /** A configured token cannot be used; the message is for the operator and holds no token. */
  public static final class Unusable extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Setting<?> setting;
    private final String what;

    Unusable(Setting<?> setting, String what) {
      super(setting.key() + ": " + what);
      this.setting = setting;
      this.what = what;
    }

    /** The key at which the problem is told. */
    Setting<?> setting() {
      return setting;
    }

    /** The message without the key. */
    String what() {
      return what;
    }
  }
}
