package io.sluice.image;

/** Why no image can be made here: something that this machine lacks, and no mistake. */
final class NoImage extends Exception {
  private static final long serialVersionUID = 1;

  NoImage(String reason) {
    super(reason);
  }
}
