package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.jms.ReplySender;
import io.sluice.gateway.broker.jms.SessionSender;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;

/** Environment of link users whose time the test sets. */
final class ScriptedOwner implements LinkUser.Owner {
  final List<LinkUser> ended = new ArrayList<>();
  final Queue<Runnable> later = new ArrayDeque<>();
  long nowNs;

  @Override
  public Executor steps() {
    return Runnable::run;
  }

  @Override
  public long nowNs() {
    return nowNs;
  }

  @Override
  public ReplySender replies() {
    throw new AssertionError("no replies");
  }

  @Override
  public SessionSender.Factory senders() {
    throw new AssertionError("no transactions");
  }

  @Override
  public Backoff backoff() {
    return new Backoff(1, 1, new SplittableRandom(1));
  }

  @Override
  public void later(Backoff backoff, Runnable task) {
    later.add(task);
  }

  @Override
  public void remove(LinkUser user) {
    ended.add(user);
  }
}
