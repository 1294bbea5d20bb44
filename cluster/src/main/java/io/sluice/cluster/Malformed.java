package io.sluice.cluster;

/** A message of another node that is not understood; the text says what is wrong with it. */
final class Malformed extends Exception {
  private static final long serialVersionUID = 1;

  Malformed(String what) {
    super(what);
  }
}
