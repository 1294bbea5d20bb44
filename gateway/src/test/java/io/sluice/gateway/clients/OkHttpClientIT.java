package io.sluice.gateway.clients;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The example client over OkHttp. */
final class OkHttpClientIT extends ExampleClientScenes {
  @Override
  ExampleClient start(String url, String topic) {
    return new Running(url, topic);
  }

  private static final class Running implements ExampleClient, MessageListener {
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final SluiceClient client;

    Running(String url, String topic) {
      client = new SluiceClient(url, null);
      client.subscribe(topic, null, this);
    }

    @Override
    public void onSubscribed() {
      heard.add(SUBSCRIBED);
    }

    @Override
    public void onMessage(JsonNode message) {
      heard.add(MESSAGE + message.get("payload").asText());
    }

    @Override
    public void onGap(String reason) {
      heard.add(GAP + reason);
    }

    @Override
    public void onError(String code, String message) {
      heard.add("ERROR " + code + " " + message);
    }

    @Override
    public List<String> heard() {
      return List.copyOf(heard);
    }

    @Override
    public void close() {
      client.close();
    }
  }
}
