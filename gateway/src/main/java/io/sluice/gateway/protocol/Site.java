package io.sluice.gateway.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HexFormat;
import java.util.zip.CRC32;

/**
 * The brokers whose messages a log has, told apart by a number made of their operator's name for
 * them. Immutable.
 *
 * @param mark 0 where the operator has given no name
 */
public record Site(int mark) {
  /** The one that has no name. */
  public static final Site UNNAMED = new Site(0);

  private static final char SEPARATOR = '.';

  /** The site of this name, which may be empty. */
  public static Site of(String name) {
    if (name.isEmpty()) {
      return UNNAMED;
    }
    CRC32 sum = new CRC32();
    sum.update(name.getBytes(UTF_8));
    int mark = (int) sum.getValue();
    return new Site(mark == 0 ? 1 : mark);
  }

  /** What stands behind an epoch of this site, perhaps nothing. */
  String suffix() {
    return mark == 0 ? "" : SEPARATOR + HexFormat.of().toHexDigits(mark);
  }
}
