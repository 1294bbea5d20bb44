"""Paho for Python: pahopy.py HOST:PORT 3|5 [PATH]; over TCP if the path is empty"""

import sys

import paho.mqtt.client as mqtt

from lines import follow, say

host, port = sys.argv[1].split(":")
version = mqtt.MQTTv5 if sys.argv[2] == "5" else mqtt.MQTTv311
path = sys.argv[3] if len(sys.argv) > 3 else "/mqtt"
filters = []
asked = {}
published = {}


def subscribe(topic_filter):
    _, mid = client.subscribe(topic_filter, qos=1)
    asked[mid] = topic_filter


def on_connect(client, userdata, flags, reason, properties):
    if reason.is_failure:
        say("ERROR", reason)
        return
    say("OPEN")
    # A new session: messages since the last one of the old session may be missing.
    if filters and not flags.session_present:
        say("NOTICE new session")
    for each in filters:
        subscribe(each)


def on_subscribe(client, userdata, mid, reasons, properties):
    say("REFUSED" if reasons[0].is_failure else "SUBSCRIBED", asked.get(mid))


def on_message(client, userdata, message):
    say("AGAIN" if message.dup else "MESSAGE", message.topic, message.payload.decode())


def on_publish(client, userdata, mid, reason, properties):
    say("REFUSED" if reason.is_failure else "PUBLISHED", published.get(mid))


def begin(topic_filter):
    filters.append(topic_filter)
    subscribe(topic_filter)


def publish(rest):
    topic, _, text = rest.partition(" ")
    published[client.publish(topic, text, qos=1).mid] = text


client = mqtt.Client(
    mqtt.CallbackAPIVersion.VERSION2,
    protocol=version,
    transport="websockets" if path else "tcp",
)
if path:
    client.ws_set_options(path=path)
client.reconnect_delay_set(1, 1)
client.on_connect = on_connect
client.on_disconnect = lambda *_: say("LOST")
client.on_subscribe = on_subscribe
client.on_message = on_message
client.on_publish = on_publish
client.connect_async(host, int(port))
client.loop_start()
follow({"subscribe": begin, "publish": publish})
