package io.sluice.loadtest;

import static io.gatling.javaapi.core.CoreDsl.details;

import io.gatling.javaapi.core.Assertion;
import java.util.List;

/** What Gatling asserts, so that its run fails with the campaign. */
final class Verdict {
  private Verdict() {}

  /** One for each thing that was looked at; they have the names under which it is told. */
  static List<Assertion> of(Campaign campaign) {
    return campaign.checks().stream()
        .map(check -> details(check).failedRequests().count().is(0L))
        .toList();
  }
}
