package io.sluice.loadtest;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/** Chain that classes of one process share. It ends with the last of them. For any thread. */
final class SharedChain implements BeforeAllCallback {
  static final int TOPICS = 20;

  /** Messages per second and topic. */
  static final int RATE = 10;

  static final int BYTES = 256;

  private volatile Chain chain;

  @Override
  public void beforeAll(ExtensionContext context) {
    chain =
        context
            .getRoot()
            .getStore(Namespace.create(SharedChain.class))
            .computeIfAbsent(Chain.class, type -> start(), Chain.class);
  }

  private static Chain start() {
    try {
      return Chain.start(TOPICS, RATE, BYTES);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Chain get() {
    return chain;
  }
}
