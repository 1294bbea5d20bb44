package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class MailboxTest {
  private static final int MEBIBYTE = 1 << 20;

  private final ManualClock clock = new ManualClock();
  private final ManualExecutor fresh = new ManualExecutor();
  private final ManualExecutor backlog = new ManualExecutor();
  private final Sequencers sequencers = new Sequencers(fresh, backlog, clock);
  private final List<String> ran = new ArrayList<>();

  @AfterEach
  void stop() {
    fresh.shutdownNow();
    backlog.shutdownNow();
  }

  private Mailbox mailbox() {
    return new Mailbox(sequencers, budget(Config.defaults()));
  }

  private static IngressBudget budget(Config config) {
    return new IngressBudget(HubLimits.of(config));
  }

  private void post(Mailbox mailbox, String name, long tookMs) {
    mailbox.post(
        () -> {
          clock.pass(tookMs);
          ran.add(name);
        });
  }

  @Test
  void shouldYieldToOtherMailboxesAfterQuantum() {
    Mailbox hot = mailbox();
    Mailbox quiet = mailbox();
    post(hot, "hot 1", 2);
    post(hot, "hot 2", 2);
    post(quiet, "quiet", 0);
    fresh.runAll();

    assertThat(ran).containsExactly("hot 1", "quiet");
    assertThat(hot.isIdle()).isFalse();
    assertThat(quiet.isIdle()).isTrue();
    backlog.runAll();
    assertThat(ran).containsExactly("hot 1", "quiet", "hot 2");
    assertThat(hot.isIdle()).isTrue();
  }

  @Test
  void shouldRunCommandsInOrderDespiteFailure() {
    Mailbox mailbox = mailbox();
    post(mailbox, "first", 0);
    mailbox.post(
        () -> {
          throw new IllegalStateException("a bug");
        });
    post(mailbox, "last", 0);
    fresh.runAll();

    assertThat(ran).containsExactly("first", "last");
  }

  @Test
  void shouldRunCommandPostedByCommand() {
    Mailbox mailbox = mailbox();
    mailbox.post(() -> post(mailbox, "posted", 0));
    fresh.runAll();
    backlog.runAll();

    assertThat(ran).containsExactly("posted");
    assertThat(mailbox.isIdle()).isTrue();
  }

  @Test
  void shouldRejectOnlyMailboxesAboveTheirShare() {
    IngressBudget budget =
        budget(Config.defaults().with(LimitSettings.INGRESS_MEMORY, 4L * MEBIBYTE));
    Mailbox hot = new Mailbox(sequencers, budget);
    Mailbox quiet = new Mailbox(sequencers, budget);
    for (int i = 0; i < 4; i++) {
      assertThat(hot.admit(MEBIBYTE)).isTrue();
    }

    assertThat(hot.admit(MEBIBYTE)).as("over its share").isFalse();
    assertThat(quiet.admit(MEBIBYTE)).as("below its share").isTrue();
    hot.release(MEBIBYTE);
    assertThat(budget.used()).isEqualTo(4L * MEBIBYTE);
  }

  @Test
  void shouldRunTaskAfterAllMailboxesOfFence() {
    Mailbox first = mailbox();
    Mailbox second = mailbox();
    post(first, "first", 0);
    post(second, "second", 0);
    Fence fence = new Fence(() -> ran.add("task"));
    fence.await(first);
    fence.await(second);
    fence.open();
    assertThat(ran).isEmpty();
    fresh.runAll();

    assertThat(ran).containsExactly("first", "second", "task");
  }
}
