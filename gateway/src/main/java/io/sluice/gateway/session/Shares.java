package io.sluice.gateway.session;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The shares of a kind, by name: of those who have connections, or have not rested since. For any
 * thread.
 */
public final class Shares<S extends Share> {
  private final Map<String, S> byName = new ConcurrentHashMap<>();
  private final Function<String, S> maker;
  private final Function<String, S> overflow;
  private final int most;
  private final Runnable onFull;

  /**
   * @param maker makes the share of a name
   * @param most how many there may be; whoever comes past it has one for itself
   * @param onFull told of each that comes past it
   */
  public Shares(Function<String, S> maker, int most, Runnable onFull) {
    this(maker, maker, most, onFull);
  }

  /**
   * @param overflow gives those past the bound theirs, by their names
   */
  Shares(Function<String, S> maker, Function<String, S> overflow, int most, Runnable onFull) {
    this.maker = maker;
    this.overflow = overflow;
    this.most = most;
    this.onFull = onFull;
  }

  /** Counts one connection more, and returns the share, to be given to {@link #leave} once. */
  public S enter(String name) {
    while (true) {
      S share = of(name);
      if (share.hold()) {
        return share;
      }
      byName.remove(name, share);
    }
  }

  /** Counts one connection less. */
  public void leave(S share) {
    if (share.letGo(System.nanoTime())) {
      byName.remove(share.name(), share);
    }
  }

  /** How many connections a name has; none is remembered for the question. */
  public int holders(String name) {
    S known = byName.get(name);
    return known == null ? 0 : Math.max(0, known.holders());
  }

  /** The share of a name, without a connection. */
  public S of(String name) {
    S known = byName.get(name);
    if (known != null) {
      return known;
    }
    if (byName.size() >= most) {
      onFull.run();
      return overflow.apply(name);
    }
    return byName.computeIfAbsent(name, maker);
  }

  /** Forgets those that have rested; takes a while, so on no event loop. */
  public void sweep() {
    long nowNs = System.nanoTime();
    for (S share : byName.values()) {
      if (share.retire(nowNs)) {
        byName.remove(share.name(), share);
      }
    }
  }

  /** How many there are. */
  public int size() {
    return byName.size();
  }
}
