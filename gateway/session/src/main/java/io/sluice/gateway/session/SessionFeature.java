package io.sluice.gateway.session;

import io.sluice.gateway.auth.Grant;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Feature;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Optional feature of sessions: handlers of its client frames, and the factory of its state in a
 * session. Immutable, for any thread; the handlers are bound to the event loop of the client.
 *
 * <p>The list of a node's features is composed once, by {@link SessionFeatures}. A session creates
 * the state of a feature with the client's first frame of that feature. The state checks
 * permissions before anything else. It stays until the session ends, which closes it once.
 *
 * @param <S> its state in a session
 */
public final class SessionFeature<S extends SessionFeature.State> {
  /** State of a feature in one session. Bound to the client's event loop. */
  public interface State {
    /**
     * Returns whether nothing is pending or in use. A session without further input ends once all
     * states are idle; a state whose last request ends calls {@link
     * SessionContext#closeIfComplete}.
     */
    boolean isIdle();

    /** Ends the uses that the client's new grant no longer allows. */
    default void endForbidden() {}

    /** Returns the uses that a grant does not allow, such as {@code consume orders}. */
    default Stream<String> forbiddenUses(SessionPolicy by, Grant granted) {
      return Stream.of();
    }

    /** Returns whether a ref identifies one of its uses. */
    default boolean isRefInUse(long ref) {
      return false;
    }

    /** Ends the use that a frame identifies; returns false if the frame identifies none. */
    default boolean onUnsubscribe(ClientFrame.Unsubscribe frame) {
      return false;
    }

    /** Returns its number of consumers at the broker, for operators. */
    default int consumers() {
      return 0;
    }

    /**
     * Releases everything: the client has disconnected.
     *
     * @param forGood whether the client is known not to return
     */
    void close(boolean forGood);
  }

  /** Handler of a client frame. */
  @FunctionalInterface
  interface Handler {
    /** Handles a frame of an open session. */
    void handle(Session session, ClientFrame frame);
  }

  /** Features of a node's sessions, and the handler of each type of frame. For any thread. */
  public static final class Table {
    private final List<SessionFeature<?>> features;
    private final Map<Class<? extends ClientFrame>, Handler> handlers;

    /**
     * @param kernel handlers of the frames of no feature
     * @param features features in the order in which a session closes their states
     */
    Table(Map<Class<? extends ClientFrame>, Handler> kernel, List<SessionFeature<?>> features) {
      this.features = List.copyOf(features);
      this.handlers = new HashMap<>(kernel);
      features.forEach(this::add);
    }

    private <S extends State> void add(SessionFeature<S> feature) {
      feature.handlers.forEach(
          (type, handler) -> {
            Handler former =
                handlers.put(
                    type, (session, frame) -> handler.accept(session.state(feature), frame));
            if (former != null) {
              throw new IllegalArgumentException(type + " has two handlers");
            }
          });
    }

    /** Returns the handler of a type of frames, or null. */
    Handler handler(Class<?> frame) {
      return handlers.get(frame);
    }

    /** Returns the number of features. */
    int size() {
      return features.size();
    }

    /** Returns the index of a feature among all of them. */
    int index(SessionFeature<?> feature) {
      int index = features.indexOf(feature);
      if (index < 0) {
        throw new IllegalArgumentException(feature.type + " is not a feature of this node");
      }
      return index;
    }

    /** Adds the features that a node with these options announces, or removes those it lacks. */
    void announce(SessionOptions options, Set<Feature> announced) {
      features.forEach(each -> each.announcement.accept(options, announced));
    }
  }

  private final Class<S> type;
  private final Function<? super Session, S> factory;
  private final Map<Class<? extends ClientFrame>, BiConsumer<S, ClientFrame>> handlers;
  private final BiConsumer<SessionOptions, Set<Feature>> announcement;

  private SessionFeature(
      Class<S> type,
      Function<? super Session, S> factory,
      Map<Class<? extends ClientFrame>, BiConsumer<S, ClientFrame>> handlers,
      BiConsumer<SessionOptions, Set<Feature>> announcement) {
    this.type = type;
    this.factory = factory;
    this.handlers = handlers;
    this.announcement = announcement;
  }

  /**
   * Creates a feature without frames and announcements.
   *
   * @param factory creates the state of a session, perhaps with the states of other features
   */
  public static <S extends State> SessionFeature<S> of(
      Class<S> type, Function<? super Session, S> factory) {
    return new SessionFeature<>(type, factory, Map.of(), (options, announced) -> {});
  }

  /** Returns this feature with a handler of another frame. */
  public <F extends ClientFrame> SessionFeature<S> on(Class<F> frame, BiConsumer<S, F> handler) {
    Map<Class<? extends ClientFrame>, BiConsumer<S, ClientFrame>> more = new HashMap<>(handlers);
    more.put(frame, (state, received) -> handler.accept(state, frame.cast(received)));
    return new SessionFeature<>(type, factory, more, announcement);
  }

  /** Returns this feature with changes to the announced features of a node with these options. */
  public SessionFeature<S> announcing(BiConsumer<SessionOptions, Set<Feature>> changes) {
    return new SessionFeature<>(type, factory, handlers, changes);
  }

  /** Creates the state of a session. */
  S newState(Session session) {
    return factory.apply(session);
  }

  /** Returns a state of this feature by its type. */
  S cast(State state) {
    return type.cast(state);
  }
}
