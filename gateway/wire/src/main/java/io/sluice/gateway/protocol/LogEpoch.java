package io.sluice.gateway.protocol;

import java.util.HexFormat;

/**
 * Epoch of a topic log as clients receive it, with its site. Changed by the writer of the log, for
 * any thread.
 */
public final class LogEpoch {
  private volatile String text;

  /** Creates the epoch of a log. */
  public LogEpoch(long epoch, Site site) {
    set(epoch, site);
  }

  /** Changes the epoch: the log begins another stream. */
  public void set(long epoch, Site site) {
    text = text(epoch, site);
  }

  /** Returns 16 hexadecimal digits, and a dot with 8 more if the site has a name. */
  public String text() {
    return text;
  }

  static String text(long epoch, Site site) {
    return HexFormat.of().toHexDigits(epoch) + site.suffix();
  }
}
