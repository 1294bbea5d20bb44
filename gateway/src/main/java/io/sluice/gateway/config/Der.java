package io.sluice.gateway.config;

import java.math.BigInteger;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;

/**
 * One value of DER (X.690), as far as this package reads it for itself: what it relies on, the JDK
 * verifies. Immutable, for any thread. Anything else is an {@link IllegalArgumentException}.
 */
record Der(int tag, ByteBuffer value) {
  static final int INTEGER = 0x02;
  static final int OCTETS = 0x04;
  static final int ENUMERATED = 0x0a;
  static final int TIME = 0x18;
  static final int SEQUENCE = 0x30;

  /** Before the number of a tag that a structure gives to one of its members. */
  static final int MEMBER = 0xa0;

  private static final int LONG_FORM = 0x80;
  private static final int MOST_LENGTH_BYTES = 3;
  private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("uuuuMMddHHmmss'Z'");

  /** The one value that bytes hold. */
  static Der of(byte[] bytes, int tag) {
    return only(all(ByteBuffer.wrap(bytes)), tag);
  }

  /** The values inside of this one. */
  List<Der> inside() {
    return all(value.duplicate());
  }

  /** The one value inside of this one. */
  Der inside(int wanted) {
    return only(inside(), wanted);
  }

  /** Itself, if it is of the kind. */
  Der as(int wanted) {
    if (tag != wanted) {
      throw new IllegalArgumentException("has a value of another kind than it should");
    }
    return this;
  }

  BigInteger number() {
    byte[] bytes = bytes();
    if (bytes.length == 0) {
      throw new IllegalArgumentException("has an empty number");
    }
    return new BigInteger(bytes);
  }

  Instant time() {
    try {
      String text = new String(as(TIME).bytes(), StandardCharsets.US_ASCII);
      return LocalDateTime.parse(text, SECONDS).toInstant(ZoneOffset.UTC);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("has a malformed time", e);
    }
  }

  byte[] bytes() {
    byte[] bytes = new byte[value.remaining()];
    value.duplicate().get(bytes);
    return bytes;
  }

  private static Der only(List<Der> all, int tag) {
    if (all.size() != 1) {
      throw new IllegalArgumentException("has " + all.size() + " values in the place of one");
    }
    return all.get(0).as(tag);
  }

  private static List<Der> all(ByteBuffer rest) {
    List<Der> found = new ArrayList<>();
    try {
      while (rest.hasRemaining()) {
        int tag = rest.get() & 0xff;
        int length = length(rest);
        found.add(new Der(tag, rest.slice(rest.position(), length)));
        rest.position(rest.position() + length);
      }
    } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("ends too early", e);
    }
    return found;
  }

  private static int length(ByteBuffer rest) {
    int first = rest.get() & 0xff;
    if (first < LONG_FORM) {
      return first;
    }
    int bytes = first - LONG_FORM;
    if (bytes == 0 || bytes > MOST_LENGTH_BYTES) {
      throw new IllegalArgumentException("has a value of no sensible length");
    }
    int length = 0;
    for (int i = 0; i < bytes; i++) {
      length = length << 8 | rest.get() & 0xff;
    }
    return length;
  }
}
