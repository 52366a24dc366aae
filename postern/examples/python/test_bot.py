"""Start a Postern (`npx postern`), then: python3 -m unittest

It reads POSTERN_URL and POSTERN_OPERATOR_TOKEN, as every client of the operator endpoints.
"""

import json
import os
import pathlib
import unittest
import urllib.parse
import urllib.request

URL = os.environ.get("POSTERN_URL", "http://127.0.0.1:4000")


def operator_token():
    token = os.environ.get("POSTERN_OPERATOR_TOKEN")
    return token or pathlib.Path(".postern/operator-token").read_text().strip()


def operator(method, path, body=None, **query):
    """Calls an operator endpoint; answers the parsed JSON."""
    url = f"{URL}{path}?{urllib.parse.urlencode(query)}" if query else URL + path
    headers = {"Authorization": f"Bearer {operator_token()}"}
    data = None
    if body is not None:
        headers["Content-Type"] = "application/json"
        data = json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request) as response:
        text = response.read()
        return json.loads(text) if text else None


class BotTest(unittest.TestCase):
    def setUp(self):
        self.inbox = operator("POST", "/operator/inboxes", {"events": ["dm.received"]})["data"]

    def tearDown(self):
        operator("DELETE", f"/operator/inboxes/{self.inbox['id']}")

    def test_the_bot_hears_of_a_direct_message(self):
        operator("POST", "/operator/trigger", {"event_type": "dm.received", "to": "ada", "text": "Hello"})

        # Waits for the event; without one, meta.explanation says what was attempted instead.
        events = operator("GET", f"/operator/inboxes/{self.inbox['id']}/events", event_type="dm.received", wait="5s")

        self.assertEqual(len(events["data"]), 1, events["meta"])
        self.assertTrue(events["data"][0]["verified"])
        self.assertEqual(events["data"][0]["user_id"], "101")

    def test_the_webhook_is_challenged_every_hour(self):
        happened = operator("POST", "/operator/clock", {"advance": "3h"})["data"]["happened"]

        challenges = [one for one in happened if one["kind"] == "challenge"]
        self.assertGreaterEqual(len(challenges), 3)


if __name__ == "__main__":
    unittest.main()
