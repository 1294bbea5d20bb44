package io.sluice.image;

/** Missing prerequisite of the image on this machine, as opposed to a fault of the build. */
final class MissingPrerequisite extends Exception {
  private static final long serialVersionUID = 1;

  MissingPrerequisite(String reason) {
    super(reason);
  }
}
