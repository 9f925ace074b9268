"use strict";

/** The stream from the program. A stream that was lost is opened again, and begins with everything. */
class Connection {
  constructor(receive) {
    this.receive = receive;
    this.isOpen = false;
    this.heardAt = performance.now();
    this.pause = Connection.shortest;
  }

  static names = ["meta", "trace", "observers", "launch", "services", "themes", "clock"];
  static shortest = 250;
  static longest = 4000;
  /** The program sends its clock twice a second. */
  static silence = 3000;

  /** A Boolean value that indicates whether the program is not heard. */
  get isLost() {
    return !this.isOpen || performance.now() - this.heardAt > Connection.silence;
  }

  open() {
    const stream = new EventSource("stream");
    this.stream = stream;
    for (const name of Connection.names) {
      stream.addEventListener(name, (event) => {
        [this.isOpen, this.heardAt, this.pause] = [true, performance.now(), Connection.shortest];
        this.receive(name, JSON.parse(event.data));
      });
    }
    stream.addEventListener("error", () => {
      stream.close();
      this.isOpen = false;
      setTimeout(() => this.open(), this.pause);
      this.pause = Math.min(this.pause * 2, Connection.longest);
    });
  }
}
