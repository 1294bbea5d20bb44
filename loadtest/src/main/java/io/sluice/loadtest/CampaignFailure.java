package io.sluice.loadtest;

/** Failure that ends a simulation; the message is for users. */
final class CampaignFailure extends Exception {
  private static final long serialVersionUID = 1;

  CampaignFailure(String message) {
    super(message);
  }
}
