// The explored state as the fragment of the address: compressed JSON in base64url.
import { isSketch } from "./sketch.js";

const VERSION = "1.";
const LONGEST = 300000; // characters of JSON: more than any supported map needs

async function through(bytes, stream) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > LONGEST) throw new Error("too long");
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

export async function written(state) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return VERSION + text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// Null if the address holds nothing; throws if it does not hold a draft.
export async function read(fragment) {
  const text = fragment.replace(/^#/, "");
  if (!text) return null;
  try {
    if (!text.startsWith(VERSION)) throw new Error("another version");
    const plain = atob(text.slice(VERSION.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await through(Uint8Array.from(plain, (letter) => letter.charCodeAt(0)), new DecompressionStream("deflate-raw"));
    const state = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (!isSketch(state?.sketch)) throw new Error("no sketch");
    return state;
  } catch {
    throw new Error("The address does not contain a readable map; it may have been cut off when it was copied.");
  }
}
