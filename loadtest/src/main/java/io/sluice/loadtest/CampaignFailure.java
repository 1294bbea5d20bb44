package io.sluice.loadtest;

/** Why a simulation cannot go on, for people. */
final class CampaignFailure extends Exception {
  private static final long serialVersionUID = 1;

  CampaignFailure(String message) {
    super(message);
  }
}
