package io.sluice.gateway.dictionary;

import io.sluice.gateway.config.SettingFile;
import io.sluice.gateway.config.ValueText;
import io.sluice.gateway.protocol.dictionary.Dictionary;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Configured compression of a topic pattern: alone, or with the dictionary of a file. Immutable,
 * for any thread that may block on a disk.
 *
 * @param pattern pattern of topics
 * @param value {@code alone}, or the name of a file
 */
record TopicCompression(String pattern, String value) {
  static final String EXPECTED =
      "pattern=alone, or pattern=file such as stocks.>=/etc/sluice/stocks.dict";
  static final String EXPECTED_CONTENT = "a file of 1 to " + Dictionary.MAX_BYTES + " bytes";

  private static final String ALONE = "alone";

  /**
   * Returns the compression that an element of the setting describes, or null if it is malformed.
   */
  static TopicCompression of(String element) {
    int equals = element.indexOf('=');
    return equals < 1 || equals == element.length() - 1
        ? null
        : new TopicCompression(element.substring(0, equals), element.substring(equals + 1));
  }

  /** Returns the message for a malformed element. */
  static String malformed(String element) {
    return ValueText.quote(element) + " is not of the form pattern=alone or pattern=file";
  }

  /** Returns whether messages refer to no other content. */
  boolean isAlone() {
    return value.equals(ALONE);
  }

  /**
   * Returns the content of the file.
   *
   * @throws UnusableDictionary if there is no usable content
   */
  byte[] read() throws UnusableDictionary {
    byte[] bytes = content();
    if (bytes.length == 0) {
      throw unusable("is empty", null);
    }
    if (bytes.length > Dictionary.MAX_BYTES) {
      throw unusable("has more than " + Dictionary.MAX_BYTES + " bytes", null);
    }
    return bytes;
  }

  // At most one byte too many, of a file of any size.
  private byte[] content() throws UnusableDictionary {
    try (InputStream in = Files.newInputStream(Path.of(value))) {
      return in.readNBytes(Dictionary.MAX_BYTES + 1);
    } catch (IOException | InvalidPathException e) {
      throw unusable("cannot be read: " + SettingFile.reason(e), e);
    }
  }

  private UnusableDictionary unusable(String what, Throwable cause) {
    return new UnusableDictionary(
        "file " + ValueText.quote(value) + " of " + ValueText.quote(pattern) + " " + what, cause);
  }
}
