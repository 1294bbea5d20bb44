package io.sluice.loadtest;

import static io.gatling.javaapi.core.CoreDsl.details;

import io.gatling.javaapi.core.Assertion;
import java.util.List;

/** Gatling assertions that fail Gatling's run with the campaign. Stateless. */
final class Verdict {
  private Verdict() {}

  /** Returns one assertion for each check, by the check's name. */
  static List<Assertion> of(Campaign campaign) {
    return campaign.checks().stream()
        .map(check -> details(check).failedRequests().count().is(0L))
        .toList();
  }
}
