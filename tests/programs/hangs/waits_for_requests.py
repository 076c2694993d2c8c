"""A server that nobody asks anything. That is no hang; the time limit ends it."""

import http.server
import threading

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
ready = threading.Event()
serving = threading.Thread(target=server.serve_forever, name="server")
serving.start()
ready.wait()
