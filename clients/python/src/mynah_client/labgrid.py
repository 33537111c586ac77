"""Mynah for labgrid: a console as a resource, a simulated device as another, and a driver for either.

An environment file names this module under `imports:`, so that labgrid knows the classes:

    imports: [mynah_client.labgrid]
    targets:
      main:
        resources:
          RawSerialPort: {port: /dev/ttyUSB0}
        drivers:
          MynahDriver: {}
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import attr
from labgrid.driver.common import Driver
from labgrid.factory import target_factory
from labgrid.resource.base import SerialPort
from labgrid.resource.common import Resource
from labgrid.step import step
from labgrid.util.proxy import proxymanager

from .conversation import Event
from .device import Device
from .methods import PanelState
from .picture import Screen
from .recordings import Take
from .simulator import Simulator

_text = attr.validators.instance_of(str)


@target_factory.reg_resource
@attr.s(eq=False)
class MynahConsole(Resource):  # type: ignore[misc]
    """The console of a device that runs, on the machine that labgrid runs on.

    Args:
        address (str): a socket's path, a serial line, tcp:HOST:PORT
        speed (int): of a serial line, defaults to 115200"""

    address: str = attr.ib(validator=_text)
    speed: int = attr.ib(default=115200, validator=attr.validators.instance_of(int))


@target_factory.reg_resource
@attr.s(eq=False)
class MynahSimulator(Resource):  # type: ignore[misc]
    """A simulated device, which runs while the driver is active.

    Args:
        program (str): the program; $MYNAH, or mynah on the PATH, without it
        options (dict): as on the command line of mynah simulate, such as {microphone: "tone:440"}"""

    program: Optional[str] = attr.ib(default=None, validator=attr.validators.optional(_text))
    options: Dict[str, Any] = attr.ib(factory=dict, validator=attr.validators.instance_of(dict))


@target_factory.reg_driver
@attr.s(eq=False)
class MynahDriver(Driver):  # type: ignore[misc]
    """Presses keys of a device, expects things of it and fetches what it has recorded.

    Binds to a console, a simulated device, or a serial port of labgrid's, local or exported over the network.

    Args:
        timeout (float): what expectations wait, in seconds, defaults to 10"""

    bindings = {"console": {"MynahConsole", "MynahSimulator", "SerialPort", "NetworkSerialPort"}}

    timeout: float = attr.ib(default=10.0, converter=float)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self._device: Optional[Device] = None

    def on_activate(self) -> None:
        console = self.console
        if isinstance(console, MynahSimulator):
            self._device = Device.simulate(console.program, self.timeout, **console.options)
        elif isinstance(console, MynahConsole):
            self._device = Device.attach(console.address, console.speed, self.timeout)
        elif isinstance(console, SerialPort):
            self._device = Device.attach(console.port, console.speed, self.timeout)
        else:
            host, port = proxymanager.get_host_and_port(console)
            kind = "rfc2217" if console.protocol == "rfc2217" else "socket"
            self._device = Device.attach(f"{kind}://{host}:{port}", console.speed, self.timeout)

    def on_deactivate(self) -> None:
        if self._device is not None:
            self._device.close()
            self._device = None

    @property
    def device(self) -> Device:
        """All that `mynah_client.Device` can do."""
        if self._device is None:
            raise RuntimeError(f"{self} is not active")
        return self._device

    @property
    def simulator(self) -> Optional[Simulator]:
        """The simulated device; None for a real one."""
        return self.device.simulator

    @Driver.check_active  # type: ignore[untyped-decorator,unused-ignore]
    @step(args=["button", "seconds"])  # type: ignore[untyped-decorator,unused-ignore]
    def press(self, button: str, seconds: float = 0.1) -> None:
        """Presses a key; raises PressIgnored if that meant nothing."""
        self.device.press(button, seconds)

    @Driver.check_active  # type: ignore[untyped-decorator,unused-ignore]
    @step(args=["method", "params"], result=True)  # type: ignore[untyped-decorator,unused-ignore]
    def call(self, method: str, params: Optional[Dict[str, Any]] = None) -> Any:
        """Calls a method of the console."""
        return self.device.client.call(method, params)

    @Driver.check_active  # type: ignore[untyped-decorator,unused-ignore]
    @step(args=["mode"])  # type: ignore[untyped-decorator,unused-ignore]
    def expect(self, mode: Optional[str] = None, **conditions: Any) -> PanelState:
        """Waits until the device is like this; see mynah_client.Device.expect."""
        return self.device.expect(mode, **conditions)

    @Driver.check_active  # type: ignore[untyped-decorator,unused-ignore]
    @step(args=["topic"])  # type: ignore[untyped-decorator,unused-ignore]
    def expect_event(self, topic: str, timeout: Optional[float] = None, **data: Any) -> Event:
        """Waits for an event whose data has these members."""
        return self.device.expect_event(topic, timeout, **data)

    @Driver.check_active  # type: ignore[untyped-decorator,unused-ignore]
    @step(args=["seconds"], result=True)  # type: ignore[untyped-decorator,unused-ignore]
    def record(self, seconds: float) -> Take:
        """Records a take of so many seconds at least."""
        return self.device.record(seconds)

    @Driver.check_active  # type: ignore[untyped-decorator,unused-ignore]
    @step(result=True)  # type: ignore[untyped-decorator,unused-ignore]
    def takes(self) -> List[Take]:
        """The takes on the device, the newest first."""
        return self.device.takes()

    @Driver.check_active  # type: ignore[untyped-decorator,unused-ignore]
    @step()  # type: ignore[untyped-decorator,unused-ignore]
    def screen(self) -> Screen:
        """The picture on the screen."""
        return self.device.screen()
