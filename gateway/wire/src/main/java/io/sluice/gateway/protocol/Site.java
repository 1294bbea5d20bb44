package io.sluice.gateway.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HexFormat;
import java.util.zip.CRC32;

/**
 * Identity of the broker whose messages a log contains: a checksum of its configured name.
 * Immutable, for any thread.
 *
 * @param mark checksum of the name; 0 without a name
 */
public record Site(int mark) {
  /** Site without a name. */
  public static final Site UNNAMED = new Site(0);

  private static final char SEPARATOR = '.';

  /** Returns the site of this name, which may be empty. */
  public static Site of(String name) {
    if (name.isEmpty()) {
      return UNNAMED;
    }
    CRC32 sum = new CRC32();
    sum.update(name.getBytes(UTF_8));
    int mark = (int) sum.getValue();
    return new Site(mark == 0 ? 1 : mark);
  }

  /** Returns the suffix of an epoch of this site; may be empty. */
  String suffix() {
    return mark == 0 ? "" : SEPARATOR + HexFormat.of().toHexDigits(mark);
  }
}
