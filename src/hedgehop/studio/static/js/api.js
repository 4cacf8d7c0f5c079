// SPDX-License-Identifier: BSD-3-Clause
/** @typedef {import("./types.js").Opened} Opened */

const SILENT = "The studio does not answer. Is it still running in the terminal?";

/** A refusal of the server, with its sentence. */
export class Refusal extends Error {
  /** @param {number} status @param {string} sentence */
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

/**
 * Ask the server; a refusal becomes an error with its sentence.
 * @param {string} path
 * @param {RequestInit} options
 */
async function ask(path, options = {}) {
  const answer = await fetch(`/api${path}`, options).catch(() => {
    throw new Refusal(0, SILENT);
  });
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({ detail: "Something went wrong." }));
  throw new Refusal(answer.status, String(told.detail));
}

/** @param {string} path @param {unknown} body @param {AbortSignal} [signal] */
const post = (path, body, signal) =>
  ask(path, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" }, signal });

/** @returns {Promise<{images: string[], may_save: boolean, most_pixels: number}>} */
export const about = async () => (await ask("/about")).json();

/** @returns {Promise<Opened>} */
export const openSample = async () => (await ask("/sample", { method: "POST" })).json();

/** @param {number} number @returns {Promise<Opened>} */
export const openGiven = async (number) => (await ask(`/images/${number}`, { method: "POST" })).json();

/** @param {File} file @returns {Promise<Opened>} */
export async function openFile(file) {
  const type = file.name.toLowerCase().endsWith(".json") ? "application/json" : file.type || "application/octet-stream";
  const path = `/sessions?name=${encodeURIComponent(file.name)}`;
  return (await ask(path, { method: "POST", body: file, headers: { "Content-Type": type } })).json();
}

/** @param {string} id @param {File} file @returns {Promise<Opened>} */
export async function giveScores(id, file) {
  const headers = { "Content-Type": "application/octet-stream" };
  return (await ask(`/sessions/${id}/scores`, { method: "POST", body: file, headers })).json();
}

/** @param {string} id */
export async function image(id) {
  return createImageBitmap(await (await ask(`/sessions/${id}/image`)).blob());
}

/** @param {string} id */
export const close = (id) => ask(`/sessions/${id}`, { method: "DELETE", keepalive: true }).catch(() => undefined);

/** @param {string} id @param {string} what @param {object} body */
export async function exported(id, what, body) {
  const path = { zip: "export/all", document: "document" }[what] ?? "export";
  return (await post(`/sessions/${id}/${path}`, body)).blob();
}

/** @param {string} id @param {object} body @returns {Promise<{name: string}>} */
export const save = async (id, body) => (await post(`/sessions/${id}/save`, body)).json();

/**
 * Solve, and hear of each event as it comes.
 * @param {string} id
 * @param {object} wish
 * @param {AbortSignal} signal
 * @param {(name: string, data: any) => void} hear
 */
export async function solve(id, wish, signal, hear) {
  const answer = await post(`/sessions/${id}/solve`, wish, signal);
  if (!answer.body) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read().catch(() => {
      throw new Refusal(0, SILENT);
    });
    if (done) return;
    text += value;
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const [name, data] = event.split("\n");
      hear(name.slice("event: ".length), JSON.parse(data.slice("data: ".length)));
    }
  }
}
