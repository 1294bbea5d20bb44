package io.sluice.gateway.mqtt;

import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.http.OpenProtocols;
import io.sluice.gateway.http.SocketProtocol;
import io.sluice.gateway.protocol.MessageFormats;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ConnectionListener;
import io.sluice.gateway.session.ProtocolContext;
import java.util.List;

/** The protocol MQTT of a node. Immutable, for any thread. */
public final class MqttProtocol implements SocketProtocol {
  private final MqttNode node;

  private MqttProtocol(MqttNode node) {
    this.node = node;
  }

  /** Returns what the node serves by this protocol. */
  public static OpenProtocols of(MqttOptions options) {
    MqttNode node = new MqttNode(options);
    return new OpenProtocols(
        new MessageFormats(List.copyOf(node.formats())),
        List.of(new MqttProtocol(node)),
        List.of());
  }

  @Override
  public List<String> subprotocols() {
    return List.of("mqtt");
  }

  @Override
  public String path() {
    return "/mqtt";
  }

  @Override
  public List<Integer> ports() {
    return node.options().ports();
  }

  @Override
  public ConnectionListener newClient(
      ProtocolContext loop, Connection connection, Credential credential) {
    return new MqttClient(node, loop, connection, false, credential);
  }

  @Override
  public ConnectionListener newClient(
      ProtocolContext loop, Connection connection, String subprotocol, Credential credential) {
    return new MqttClient(node, loop, connection, true, credential);
  }
}
