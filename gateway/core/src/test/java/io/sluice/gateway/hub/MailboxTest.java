package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.history.HubClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class MailboxTest {
  private static final int MEBIBYTE = 1 << 20;
  private static final int THREADS = 4;
  private static final int COMMANDS = 50_000;

  private final ManualClock clock = new ManualClock();
  private final ManualExecutor fresh = new ManualExecutor();
  private final ManualExecutor backlog = new ManualExecutor();
  private final Sequencers sequencers = new Sequencers(fresh, backlog, clock, null);
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

  /** Creates a mailbox that the thread of a message may run. */
  private Mailbox direct() {
    CallerBudget callers = new CallerBudget(clock.nanos());
    return new Mailbox(new Sequencers(fresh, backlog, clock, callers), budget(Config.defaults()));
  }

  private void postMessage(Mailbox mailbox, String name, int size, long tookMs) {
    mailbox.postMessage(
        () -> {
          clock.pass(tookMs);
          ran.add(name);
        },
        size);
  }

  @Test
  void shouldRunIdleMailboxOnThreadOfMessage() {
    Mailbox mailbox = direct();
    postMessage(mailbox, "small", 512, 0);
    assertThat(ran).containsExactly("small");
    assertThat(mailbox.isIdle()).isTrue();
    assertThat(mailbox.executed()).isEqualTo(1);
    assertThat(fresh.runAll()).isFalse();
  }

  @Test
  void shouldLeaveLargeMessageToSequencers() {
    Mailbox mailbox = direct();
    postMessage(mailbox, "large", MEBIBYTE, 0);
    postMessage(mailbox, "small", 512, 0);
    assertThat(ran).isEmpty();
    fresh.runAll();
    assertThat(ran).containsExactly("large", "small");
  }

  @Test
  void shouldLeaveCommandsAfterSlowMessageToSequencers() {
    Mailbox mailbox = direct();
    mailbox.postMessage(
        () -> {
          post(mailbox, "posted meanwhile", 0);
          clock.pass(1);
          ran.add("message");
        },
        512);
    assertThat(ran).containsExactly("message");
    fresh.runAll();
    assertThat(ran).containsExactly("message", "posted meanwhile");
    assertThat(mailbox.isIdle()).isTrue();
  }

  @Test
  void shouldTakeAtMostHalfOfThreadOfMessages() {
    Mailbox mailbox = direct();
    int direct = 0;
    for (int i = 0; i < 100; i++) {
      postMessage(mailbox, "message " + i, 512, 2);
      direct += fresh.runAll() ? 0 : 1;
      clock.pass(1);
    }
    assertThat(direct).as("of 300 ms, 150 ms in runs of 2 ms").isBetween(60, 75);
    assertThat(ran).hasSize(100);
  }

  @Test
  void shouldRunCommandsOfManyThreadsOneAtATimeAndInOrder() throws Exception {
    Sequencers real = Sequencers.start(2, HubClock.SYSTEM);
    Mailbox mailbox = new Mailbox(real, budget(Config.defaults()));
    int[] latest = new int[THREADS]; // guarded by the mailbox
    CountDownLatch all = new CountDownLatch(THREADS * COMMANDS);
    List<Integer> misplaced = new CopyOnWriteArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      int thread = i;
      new Thread(
              () -> {
                for (int number = 1; number <= COMMANDS; number++) {
                  int current = number;
                  mailbox.postMessage(
                      () -> {
                        if (++latest[thread] != current) {
                          misplaced.add(current);
                        }
                        all.countDown();
                      },
                      current % 3 == 0 ? MEBIBYTE : 1);
                }
              })
          .start();
    }
    assertThat(all.await(60, TimeUnit.SECONDS)).isTrue();
    real.stop();
    assertThat(misplaced).isEmpty();
    assertThat(latest).containsOnly(COMMANDS);
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
