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

const BYTES = "application/octet-stream";
const JSON_TYPE = "application/json";

/** @param {string} path @param {BodyInit | null} body @param {string} type @param {AbortSignal} [signal] */
const post = (path, body = null, type = BYTES, signal) => ask(path, { method: "POST", body, headers: { "Content-Type": type }, signal });

/** @param {string} path @param {unknown} value @param {AbortSignal} [signal] */
const postJson = (path, value, signal) => post(path, JSON.stringify(value), JSON_TYPE, signal);

/** @returns {Promise<{images: string[], may_save: boolean, most_pixels: number, place: string, labels: import("./types.js").Label[]}>} */
export const about = async () => (await ask("/about")).json();

/** @returns {Promise<Opened>} */
export const openSample = async () => (await post("/sample")).json();

/** @param {number} number @returns {Promise<Opened>} */
export const openGiven = async (number) => (await post(`/images/${number}`)).json();

/** @returns {Promise<{name: string, mark: import("./types.js").Mark, answered: boolean}[]>} */
export const overview = async () => (await ask("/images")).json();

/** @param {number} number @param {import("./types.js").Work} work */
export const keepWork = (number, work) =>
  ask(`/images/${number}/work`, { method: "PUT", body: JSON.stringify(work), headers: { "Content-Type": JSON_TYPE } });

/** @param {string} kind */
export const exportedFolder = async (kind) => (await ask(`/images/export/${kind}`)).blob();

/** @param {File} file @returns {Promise<Opened>} */
export async function openFile(file) {
  const type = file.name.toLowerCase().endsWith(".json") ? JSON_TYPE : file.type || BYTES;
  return (await post(`/sessions?name=${encodeURIComponent(file.name)}`, file, type)).json();
}

/** @param {string} id @param {File} file @returns {Promise<Opened>} */
export const giveScores = async (id, file) => (await post(`/sessions/${id}/scores`, file)).json();

/** @param {string} id */
export const image = async (id) => createImageBitmap(await (await ask(`/sessions/${id}/image`)).blob());

/** @param {string} id */
export const close = (id) => ask(`/sessions/${id}`, { method: "DELETE", keepalive: true }).catch(() => undefined);

/** @param {string} id @param {string} what @param {object} body */
export async function exported(id, what, body) {
  const path = { zip: "export/all", document: "document" }[what] ?? "export";
  return (await postJson(`/sessions/${id}/${path}`, body)).blob();
}

/** @param {string} id @param {object} body @returns {Promise<{name: string}>} */
export const save = async (id, body) => (await postJson(`/sessions/${id}/save`, body)).json();

/**
 * Solve, and hear of each event as it comes.
 * @param {string} id
 * @param {object} request
 * @param {AbortSignal} signal
 * @param {(name: string, data: any) => void} hear
 */
export async function solve(id, request, signal, hear) {
  const answer = await postJson(`/sessions/${id}/solve`, request, signal);
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
