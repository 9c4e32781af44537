// The connection to the studio. Messages are numbered; one that may have been lost is sent again, but applied once.
// A lost connection is restored automatically. Another tab that opens the same round takes over.
import { text } from "./dom.js";

const REPLACED = 4001;
const FINAL = { 4404: "There is no such round, or it belongs to another person.", 4429: "Too many messages, or the studio is full.", 4400: "The studio did not understand this page.", 4403: "The studio refused this page." };
const LONGEST_WAIT = 5000;

export class Line {
  // `hear(message)` gets the studio's messages, `tell(status, words)` the status "open", "broken" or "closed".
  constructor(address, hear, tell) {
    Object.assign(this, { address, hear, tell, n: 0, unsent: null, wait: 250, socket: null, shown: performance.now() });
    this.connect();
  }

  connect() {
    this.socket = new WebSocket(this.address.replace(/^http/, "ws"));
    this.socket.onmessage = (event) => this.arrived(JSON.parse(event.data));
    this.socket.onclose = (event) => this.closed(event);
  }

  arrived(message) {
    this.wait = 250;
    this.shown = performance.now(); // response times count from the last message
    if (message.type === "board") {
      this.n = message.n;
      this.tell("open", "");
      this.hear(message);
      // Resend a message that may have been lost; the studio knows whether it arrived.
      if (this.unsent && this.unsent.n >= this.n) this.put(this.unsent);
      else this.unsent = null;
      return;
    }
    if (message.n !== undefined) this.n = message.n;
    this.unsent = null;
    this.hear(message);
  }

  closed(event) {
    if (event.code === REPLACED) {
      this.tell("closed", text("play.elsewhere"));
    } else if (event.code in FINAL) {
      this.tell("closed", FINAL[event.code]);
    } else {
      this.tell("broken", text("play.lost"));
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(LONGEST_WAIT, 2 * this.wait);
    }
  }

  // Send an input once; false while an earlier one is unconfirmed.
  send(input) {
    if (this.unsent) return false;
    this.unsent = { n: this.n, input, ms: Math.round(performance.now() - this.shown) };
    this.put(this.unsent);
    return true;
  }

  put(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}
