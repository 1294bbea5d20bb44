package io.sluice.gateway.admin.why;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Answer to why a client receives no data: the causes that hold now, the most certain first, and
 * then what is past. Stateless.
 */
final class WhyAnswer {
  /** Words of the other steps by certainty: a silent topic explains less than a slow client. */
  private static final List<String> CAUSES =
      List.of(WhyStep.FILTER, WhyStep.POSITION, WhyStep.LAST_MESSAGE, WhyStep.GAPS);

  /** Words of steps that a problem of an earlier one explains. */
  private static final List<String> CONSECUTIVE =
      List.of(
          WhyStep.SESSION, WhyStep.PERMISSION, WhyStep.LIMITS, WhyStep.INTEREST, WhyStep.CONSUMER);

  private static final String SEPARATOR = "; ";

  private WhyAnswer() {}

  /** Returns the answer for the first session with a problem, or for the first one. */
  static String of(List<WhyStep> steps) {
    Map<String, List<WhyStep>> sessions = new LinkedHashMap<>();
    steps.forEach(
        step ->
            sessions.merge(
                step.session(),
                List.of(step),
                (a, b) -> Stream.of(a, b).flatMap(List::stream).toList()));
    List<List<WhyStep>> failing =
        sessions.values().stream()
            .filter(each -> each.stream().anyMatch(WhyStep::isProblem))
            .toList();
    if (sessions.size() == 1) {
      return ofSession(steps);
    }
    if (failing.isEmpty()) {
      return sessions.size() + " sessions: " + ofSession(sessions.values().iterator().next());
    }
    List<WhyStep> first = failing.get(0);
    return "problem in %d of %d sessions, %s: %s"
        .formatted(failing.size(), sessions.size(), first.get(0).session(), ofSession(first));
  }

  private static String ofSession(List<WhyStep> steps) {
    String past =
        steps.stream()
            .filter(WhyStep::isPast)
            .map(step -> SEPARATOR + "past, " + text(step))
            .collect(Collectors.joining());
    return now(steps) + past;
  }

  private static String now(List<WhyStep> steps) {
    List<WhyStep> problems =
        steps.stream()
            .filter(WhyStep::isProblem)
            .sorted(Comparator.comparingInt(step -> CAUSES.indexOf(step.step())))
            .toList();
    if (!problems.isEmpty() && CONSECUTIVE.contains(problems.get(0).step())) {
      return text(problems.get(0));
    }
    if (!problems.isEmpty()) {
      return problems.stream().map(WhyAnswer::text).collect(Collectors.joining(SEPARATOR));
    }
    List<WhyStep> undecided = steps.stream().filter(WhyStep::isUnknown).toList();
    if (!undecided.isEmpty()) {
      return "not decided, " + text(undecided.get(0));
    }
    return steps.stream()
        .filter(step -> step.step().equals(WhyStep.LAST_MESSAGE))
        .map(step -> SEPARATOR + step.detail())
        .collect(Collectors.joining("", "no problem was found", ""));
  }

  private static String text(WhyStep step) {
    return step.step() + ": " + step.detail();
  }
}
