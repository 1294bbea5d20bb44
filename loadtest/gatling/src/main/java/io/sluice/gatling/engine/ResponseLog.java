package io.sluice.gatling.engine;

import io.gatling.commons.stats.KO$;
import io.gatling.commons.stats.OK$;
import io.gatling.commons.util.Clock;
import io.gatling.core.session.Session;
import io.gatling.core.stats.StatsEngine;
import scala.Option;
import scala.Some;
import scala.collection.immutable.List;

/** Log of responses for Gatling's report: answers, messages and failures. For any thread. */
final class ResponseLog {
  /** Request of one virtual user, to which responses belong. */
  record Name(String scenario, List<String> groups, String request) {
    static Name of(Session session, String request) {
      return new Name(session.scenario(), session.groups(), request);
    }

    /** Returns the name of another request of the same user. */
    Name with(String suffix) {
      return new Name(scenario, groups, request + " " + suffix);
    }
  }

  private final StatsEngine stats;
  private final Clock clock;
  private final ResponseSampler sampler;

  /** Start of the simulation; Gatling's charts begin there. */
  private final long startMs;

  ResponseLog(StatsEngine stats, Clock clock, int maxLoggedPerSecond) {
    this.stats = stats;
    this.clock = clock;
    this.sampler = new ResponseSampler(maxLoggedPerSecond);
    this.startMs = clock.nowMillis();
  }

  long nowMs() {
    return clock.nowMillis();
  }

  ResponseSampler sampler() {
    return sampler;
  }

  /** Logs a success that began at {@code fromMs} and ends now. */
  void succeed(Name name, long fromMs) {
    log(name, fromMs, nowMs());
  }

  /** Logs a failure that began at {@code fromMs} and ends now. */
  void fail(Name name, long fromMs, String code, String message) {
    stats.logResponse(
        name.scenario(),
        name.groups(),
        name.request(),
        Math.min(fromMs, nowMs()),
        nowMs(),
        KO$.MODULE$,
        code == null ? Option.empty() : new Some<>(code),
        new Some<>(message));
  }

  /** Logs a message by its age, unless it is not in the sample. */
  void receive(Name name, long ageMs, long nowMs) {
    if (sampler.accepts(nowMs)) {
      log(name, start(ageMs, nowMs), nowMs);
    }
  }

  /** Logs a message that a check refused. */
  void refuse(Name name, long ageMs, long nowMs, String message) {
    fail(name, start(ageMs, nowMs), null, message);
  }

  private long start(long ageMs, long nowMs) {
    return Math.min(nowMs, Math.max(startMs, nowMs - ageMs));
  }

  private void log(Name name, long fromMs, long toMs) {
    stats.logResponse(
        name.scenario(),
        name.groups(),
        name.request(),
        fromMs,
        toMs,
        OK$.MODULE$,
        Option.empty(),
        Option.empty());
  }
}
