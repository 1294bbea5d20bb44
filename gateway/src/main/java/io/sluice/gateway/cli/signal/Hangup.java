package io.sluice.gateway.cli.signal;

import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handler of SIGHUP, which would otherwise end the process. Stateless.
 *
 * <p>Java has no other interface to signals than {@code sun.misc}, of the module jdk.unsupported.
 * Its use is reflective, because the compiler warns of each direct one.
 */
public final class Hangup {
  private static final Logger log = LoggerFactory.getLogger(Hangup.class);

  private Hangup() {}

  /** Runs an action for each signal, on a thread of the virtual machine; logs its failure. */
  public static void handle(Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object runner =
          Proxy.newProxyInstance(
              handler.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, arguments) -> {
                run(action);
                return null;
              });
      Object hangup = signal.getConstructor(String.class).newInstance("HUP");
      signal.getMethod("handle", signal, handler).invoke(null, hangup, runner);
    } catch (ReflectiveOperationException e) {
      // Windows has no such signal, and -Xrs reserves it.
      log.atDebug().setCause(e).log("SIGHUP is not handled");
    }
  }

  private static void run(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException e) {
      log.atError().setCause(e).log("config.reload-failed");
    }
  }
}
