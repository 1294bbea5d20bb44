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
 * Hashes of the bearer tokens of operators, which are compared in constant time. Immutable, for any
 * thread.
 */
public final class AdminTokens {
  /** Minimum length of a token. */
  static final int MIN_LENGTH = 16;

  /** Maximum size of the file, in bytes. */
  static final int MAX_BYTES = 64 * 1024;

  private final List<Known> known;

  /**
   * Hash of a token.
   *
   * @param name configuration key, with the line number for a token of the file
   */
  private record Known(String name, byte[] hash) {}

  private AdminTokens(List<Known> known) {
    this.known = known;
  }

  /**
   * Reads the tokens of the configuration and of the file.
   *
   * @throws Unusable with a message that contains no part of a token
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
      throw new Unusable(AdminSettings.TOKEN_FILE, name + " contains no token");
    }
    return known;
  }

  private static String load(String name) throws Unusable {
    try (InputStream in = Files.newInputStream(Path.of(name))) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        String what = name + " has more than " + MAX_BYTES + " bytes";
        throw new Unusable(AdminSettings.TOKEN_FILE, what);
      }
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException | InvalidPathException e) {
      throw new Unusable(
          AdminSettings.TOKEN_FILE, name + " cannot be read: " + SettingFile.reason(e));
    }
  }

  // Permits only characters that a header contains without encoding, which proxies might change.
  private static String checked(Setting<String> setting, String place, String token)
      throws Unusable {
    if (token.length() < MIN_LENGTH) {
      String what = place + "a token of " + token.length() + " characters is too short";
      throw new Unusable(setting, what);
    }
    if (!token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw new Unusable(setting, place + "a token has a character that is not plain ASCII");
    }
    return token;
  }

  /** Returns whether requests that these tokens permit are refused by others. */
  boolean isWithdrawnBy(AdminTokens next) {
    return known.isEmpty()
        ? !next.known.isEmpty()
        : !known.stream().allMatch(each -> next.contains(each.hash()));
  }

  private boolean contains(byte[] hash) {
    return known.stream().anyMatch(each -> MessageDigest.isEqual(each.hash(), hash));
  }

  /** Returns whether there are no tokens. */
  public boolean isEmpty() {
    return known.isEmpty();
  }

  /**
   * Returns the name of a token, which contains no part of it; empty if the token is invalid. The
   * name is {@code admin.token}, or {@code admin.token-file:3} for the third line of the file.
   */
  public Optional<String> nameOf(String token) {
    byte[] presented = hash(token);
    String found = null;
    for (Known each : known) {
      boolean same = MessageDigest.isEqual(each.hash(), presented);
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

  /** Error of a configured token. The message is for the operator and contains no token. */
  public static final class Unusable extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Setting<?> setting;
    private final String what;

    Unusable(Setting<?> setting, String what) {
      super(setting.key() + ": " + what);
      this.setting = setting;
      this.what = what;
    }

    /** Returns the configuration key of the error. */
    Setting<?> setting() {
      return setting;
    }

    /** Returns the message without the key. */
    String what() {
      return what;
    }
  }
}
