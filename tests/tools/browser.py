"""A headless Chromium, driven over its debugging pipe by the Chrome DevTools Protocol."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)


class Browser:
    """One page in a browser of its own; a context manager.

    Errors in the page's scripts raise RuntimeError.
    """

    def __init__(self, width: int = 1100, height: int = 900, *, dark: bool = False) -> None:
        assert CHROMIUM, "no Chromium here"
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        read, self._out = os.pipe()
        self._in, write = os.pipe()
        command = [CHROMIUM, *_FLAGS, f"--user-data-dir={self._profile.name}"]
        # Chromium reads from descriptor 3 and writes to 4
        shell = ["bash", "-c", f'exec "$@" 3<&{read} 4>&{write} </dev/null >/dev/null 2>&1', "bash"]
        self._process = subprocess.Popen([*shell, *command], pass_fds=(read, write))
        os.close(read)
        os.close(write)
        self._rest = b""  # received, and not read yet
        self._number = 0  # of the last command
        self._session = None
        self.requests: list[str] = []  # addresses that the page asked for
        self.complaints: list[str] = []  # warnings and errors in the browser's console
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=scheme)

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._profile.cleanup()

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command of the protocol, and return its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self._rest:
                received = os.read(self._in, 1 << 20)
                if not received:
                    raise RuntimeError("Chromium ended")
                self._rest += received
            text, self._rest = self._rest.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("method") == "Runtime.exceptionThrown":
                raise RuntimeError(f"error in the page: {answer['params']['exceptionDetails']}")
            self._note(answer.get("method"), answer.get("params", {}))
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def _note(self, event: str | None, parameters: dict[str, Any]) -> None:
        """Keep the requests and complaints that an event of the protocol reports."""
        if event == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif event == "Log.entryAdded":
            entry = parameters["entry"]
            if entry["level"] in ("warning", "error"):
                self.complaints.append(f"{entry['text']} {entry.get('url', '')}")
        elif event == "Runtime.consoleAPICalled" and parameters["type"] in ("warning", "error"):
            self.complaints.append(str(parameters["args"]))

    def open(self, page: Path | str, fragment: str = "") -> None:
        """Load a file or an address, and wait until its scripts have run."""
        address = page if isinstance(page, str) else page.resolve().as_uri()
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address + fragment)
        self.wait("document.readyState === 'complete'")

    def evaluate(self, script: str) -> Any:
        """Return the value of a JavaScript expression in the page; a promise is awaited."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, condition: str, seconds: float = 20.0) -> None:
        """Wait until a JavaScript expression is true. Raise TimeoutError."""
        deadline = time.monotonic() + seconds
        while not self.evaluate(f"Boolean({condition})"):
            if time.monotonic() > deadline:
                raise TimeoutError(condition)
            time.sleep(0.02)

    def press(self, key: str) -> None:
        """Press a key, such as "ArrowRight"."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)

    def type(self, text: str) -> None:
        """Type a text on the keyboard; a line break is the Enter key."""
        for letter in text:
            key = {"key": letter, "text": letter}
            if letter == "\n":
                key = {"key": "Enter", "text": "\r", "windowsVirtualKeyCode": 13}
            self.call("Input.dispatchKeyEvent", type="keyDown", **key)
            self.call("Input.dispatchKeyEvent", type="keyUp", **key)

    def mouse(self, *points: tuple[float, float]) -> None:
        """Click at a point, or drag from the first point to the last."""
        x, y = points[0]
        self._mouse("mouseMoved", x, y)
        self._mouse("mousePressed", x, y, button="left", clickCount=1)
        for x, y in points[1:]:
            self._mouse("mouseMoved", x, y, button="left")
            time.sleep(0.05)  # a drag is followed frame by frame
        self._mouse("mouseReleased", x, y, button="left", clickCount=1)

    def _mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, selector: str) -> None:
        """Click at the middle of an element, which is scrolled into view."""
        place = self.evaluate(
            f"""(() => {{
                const element = document.querySelector({json.dumps(selector)});
                element.scrollIntoView({{ block: "center" }});
                const box = element.getBoundingClientRect();
                return [box.x + box.width / 2, box.y + box.height / 2];
            }})()"""
        )
        self.mouse((place[0], place[1]))

    def picture(self, file: Path, width: int, height: int) -> None:
        """Write the top left of the page as PNG."""
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        answer = self.call(
            "Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True
        )
        file.write_bytes(base64.b64decode(answer["data"]))
