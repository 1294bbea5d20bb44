package io.sluice.gatling.engine;

import com.typesafe.scalalogging.Logger;
import io.gatling.core.CoreComponents;
import io.gatling.core.action.Action;
import io.gatling.core.action.BlockExit;
import io.gatling.core.action.builder.ActionBuilder;
import io.gatling.core.actor.ActorRef;
import io.gatling.core.controller.throttle.Throttler;
import io.gatling.core.session.Session;
import io.gatling.core.structure.ScenarioContext;
import io.sluice.gatling.check.NestedClass;
import org.slf4j.LoggerFactory;
import scala.Function0;
import scala.Option;
import scala.runtime.BoxedUnit;

/**
 * Action of the protocol in a scenario. It repeats the few lines of Gatling's trait {@code
 * ExitableAction}, which Java cannot extend. For any thread.
 */
public final class SluiceAction implements Action {
  private static final Logger LOG = new Logger(LoggerFactory.getLogger(SluiceAction.class));

  private final SluiceComponents components;
  private final CoreComponents core;

  /** Throttle of the simulation; null without one. */
  private final ActorRef<Throttler.Command> throttler;

  private final Template request;
  private final Operation operation;
  private final Action next;

  private SluiceAction(
      ScenarioContext scenario, Template request, Operation operation, Action next) {
    this.core = scenario.coreComponents();
    this.components = scenario.protocolComponentsRegistry().components(SluiceComponents.KEY);
    Option<ActorRef<Throttler.Command>> actor = core.throttler();
    this.throttler =
        scenario.throttled() && operation.isThrottled() && actor.isDefined() ? actor.get() : null;
    this.request = request;
    this.operation = operation;
    this.next = next;
  }

  /** Returns the builder of an action. */
  public static ActionBuilder builder(Template request, Operation operation) {
    return (scenario, next) -> new SluiceAction(scenario, request, operation, next);
  }

  /** Executes the action, unless the user must leave a block, for example after a failure. */
  @Override
  public void $bang(Session session) {
    Option<BlockExit> exit = BlockExit.mustExit(session);
    if (exit.isDefined()) {
      exit.get().exitBlock(core.statsEngine(), core.clock().nowMillis());
    } else if (session.eventLoop().inEventLoop()) {
      execute(session);
    } else if (!session.eventLoop().isShutdown()) {
      session.eventLoop().execute(() -> execute(session));
    }
  }

  @Override
  public void execute(Session session) {
    if (throttler == null) {
      run(session);
      return;
    }
    Function0<BoxedUnit> task =
        () -> {
          session.eventLoop().execute(() -> run(session));
          return BoxedUnit.UNIT;
        };
    Object throttled = NestedClass.THROTTLED_REQUEST.create(session.scenario(), task);
    throttler.$bang((Throttler.Command) throttled);
  }

  private void run(Session session) {
    String name = request.toString();
    try {
      name = request.resolve(session);
      operation.run(Execution.of(components, session, name, next));
    } catch (RuntimeException e) {
      // Otherwise the virtual user would never continue.
      crash(session, name, e.getMessage() == null ? e.toString() : e.getMessage());
    }
  }

  private void crash(Session session, String name, String message) {
    core.statsEngine().logRequestCrash(session.scenario(), session.groups(), name, message);
    next.$bang(session.markAsFailed());
  }

  @Override
  public String name() {
    return request.toString();
  }

  @Override
  public Logger logger() {
    return LOG;
  }

  @Override
  public void com$typesafe$scalalogging$StrictLogging$_setter_$logger_$eq(Logger logger) {
    // All actions share one logger.
  }

  @Override
  public String toString() {
    return name();
  }
}
