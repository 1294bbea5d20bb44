package io.sluice.testkit;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Default time limit of conditions in all tests, instead of Awaitility's ten seconds: a loaded
 * machine may stall a process for longer. JUnit loads it as a service. Stateless.
 */
public final class PatientConditions implements LauncherSessionListener {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    Awaitility.setDefaultTimeout(LIMIT);
  }
}
