package io.sluice.testkit;

/** Load balancer between clients and nodes. */
public interface Balancer extends AutoCloseable {
  /** Returns the address for clients, as host:port. */
  String address();

  @Override
  void close();
}
