"""stomp.py over a WebSocket: stomppy.py HOST:PORT [PATH]

Each subscription resumes from the position of its last message.
"""

import sys
import threading
import time

import stomp

from lines import follow, is_repeated, say

host, port = sys.argv[1].split(":")
path = sys.argv[2] if len(sys.argv) > 2 else "/stomp"
subscriptions = {}
lock = threading.Lock()


class Listener(stomp.ConnectionListener):
    def on_connected(self, frame):
        say("OPEN")
        for destination in list(subscriptions):
            subscribe(destination)

    def on_message(self, frame):
        headers = frame.headers
        state = subscriptions[headers["subscription"]]
        state["position"] = headers.get("position", state["position"])
        if "gap" in headers:
            say("NOTICE", headers["gap"])
            return
        again = headers.get("redelivered") == "true" or is_repeated(headers["message-id"])
        say("AGAIN" if again else "MESSAGE", headers["destination"], frame.body)
        # HOLD stands for work that does not end before the connection is lost.
        held = frame.body.startswith("HOLD") and not again
        if state["ack"] != "auto" and not held:
            connection.ack(headers["ack"], receipt="ACKED " + frame.body)

    def on_receipt(self, frame):
        say(frame.headers["receipt-id"])

    def on_error(self, frame):
        say("ERROR", frame.headers.get("message"))

    def on_disconnected(self):
        say("LOST")
        threading.Thread(target=connect, daemon=True).start()


def connect():
    while True:
        try:
            with lock:
                if not connection.is_connected():
                    connection.connect(wait=True)
            return
        except Exception:  # refused, or lost before CONNECTED
            time.sleep(0.2)


def subscribe(destination):
    state = subscriptions[destination]
    headers = {"gap": "true", "receipt": "SUBSCRIBED " + destination}
    if state["position"] is not None:
        headers["from"] = state["position"]
    connection.subscribe(destination, destination, ack=state["ack"], headers=headers)


def begin(destination, ack):
    subscriptions[destination] = {"ack": ack, "position": None}
    subscribe(destination)


def publish(rest):
    destination, _, text = rest.partition(" ")
    connection.send(destination, text, headers={"receipt": "PUBLISHED " + text})


connection = stomp.WSConnection([(host, int(port))], ws_path=path, reconnect_attempts_max=1)
connection.set_listener("", Listener())
threading.Thread(target=connect, daemon=True).start()
follow(
    {
        "subscribe": lambda destination: begin(destination, "auto"),
        "consume": lambda destination: begin(destination, "client-individual"),
        "publish": publish,
    }
)
