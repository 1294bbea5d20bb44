package io.sluice.stock;

import static io.sluice.stock.Lines.say;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.eclipse.paho.client.mqttv3.IMqttActionListener;
import org.eclipse.paho.client.mqttv3.IMqttDeliveryToken;
import org.eclipse.paho.client.mqttv3.IMqttToken;
import org.eclipse.paho.client.mqttv3.MqttAsyncClient;
import org.eclipse.paho.client.mqttv3.MqttCallbackExtended;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.MqttException;
import org.eclipse.paho.client.mqttv3.MqttMessage;
import org.eclipse.paho.client.mqttv3.persist.MemoryPersistence;

/**
 * Paho for Java with MQTT 3.1.1: URL, of ws or tcp, and optionally the client identifier of a
 * session that is continued.
 */
public final class PahoV3 implements MqttCallbackExtended {
  private final List<String> filters = new CopyOnWriteArrayList<>();
  private final MqttAsyncClient client;

  private final boolean isPersistent;

  private PahoV3(String url, String clientId) throws MqttException {
    isPersistent = !clientId.isEmpty();
    String id = isPersistent ? clientId : MqttAsyncClient.generateClientId();
    client = new MqttAsyncClient(url, id, new MemoryPersistence());
    client.setCallback(this);
  }

  public static void main(String[] arguments) throws Exception {
    PahoV3 paho = new PahoV3(arguments[0], arguments.length > 1 ? arguments[1] : "");
    MqttConnectOptions options = new MqttConnectOptions();
    options.setMqttVersion(MqttConnectOptions.MQTT_VERSION_3_1_1);
    options.setCleanSession(!paho.isPersistent);
    options.setAutomaticReconnect(true);
    options.setMaxReconnectDelay(1_000);
    paho.client.connect(options);
    Lines.follow(Map.of("subscribe", paho::begin, "publish", paho::publish));
  }

  @Override
  public void connectComplete(boolean again, String url) {
    say("OPEN");
    if (isPersistent) {
      return; // the node has the subscriptions
    }
    if (again) {
      say("NOTICE new session");
    }
    // The thread of the callback must not wait for the answers.
    filters.forEach(this::subscribe);
  }

  @Override
  public void connectionLost(Throwable cause) {
    say("LOST", cause.toString());
  }

  private void begin(String filter) {
    filters.add(filter);
    subscribe(filter);
  }

  private void subscribe(String filter) {
    try {
      client.subscribe(filter, 1, null, new Said("SUBSCRIBED", filter));
    } catch (MqttException e) {
      say("ERROR", e.toString());
    }
  }

  private void publish(String rest) throws MqttException {
    MqttMessage message = new MqttMessage(Lines.rest(rest).getBytes(StandardCharsets.UTF_8));
    message.setQos(1);
    client.publish(Lines.first(rest), message, null, new Said("PUBLISHED", Lines.rest(rest)));
  }

  @Override
  public void messageArrived(String topic, MqttMessage message) {
    String text = new String(message.getPayload(), StandardCharsets.UTF_8);
    say(message.isDuplicate() ? "AGAIN" : "MESSAGE", topic, text);
  }

  @Override
  public void deliveryComplete(IMqttDeliveryToken token) {
    // reported by the listener of the publish
  }

  /** Prints the outcome of a request. */
  private record Said(String done, String what) implements IMqttActionListener {
    @Override
    public void onSuccess(IMqttToken token) {
      boolean isRefused = done.equals("SUBSCRIBED") && token.getGrantedQos()[0] > 2;
      say(isRefused ? "REFUSED" : done, what);
    }

    @Override
    public void onFailure(IMqttToken token, Throwable failure) {
      say("REFUSED", what, failure.toString());
    }
  }
}
