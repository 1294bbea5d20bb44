package io.sluice.loadtest.load;

/** How a client leaves. */
public enum Drop {
  /** Without a word: its socket is reset, as when a phone's network or a process goes. */
  RST,

  /** With a close frame, and the end of the TCP stream behind it. */
  CLOSE
}
