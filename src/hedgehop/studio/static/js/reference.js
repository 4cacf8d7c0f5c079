// SPDX-License-Identifier: BSD-3-Clause
import { element, make } from "./dom.js";

/** Show the operations of openapi.json, with the shapes of their requests. */
async function show() {
  const place = element("operations", HTMLElement);
  const schema = await (await fetch("/openapi.json")).json();
  for (const [path, methods] of Object.entries(schema.paths)) {
    for (const [method, operation] of Object.entries(/** @type {Record<string, any>} */ (methods))) {
      place.append(section(schema, method, path, operation));
    }
  }
}

/** @param {any} schema @param {string} method @param {string} path @param {any} operation */
function section(schema, method, path, operation) {
  const title = make("h2", {}, [make("code", {}, [make("span", { class: "method" }, [method.toUpperCase()]), path])]);
  /** @type {HTMLElement[]} */
  const parts = [title, make("p", {}, [operation.description ?? operation.summary ?? ""])];
  const content = operation.requestBody?.content ?? {};
  const body = content["application/json"]?.schema;
  if (body?.$ref) parts.push(make("pre", {}, [make("code", {}, [JSON.stringify(named(schema, body.$ref), null, 1)])]));
  else if (Object.keys(content).length) parts.push(make("p", { class: "muted" }, [`The body: ${Object.keys(content).join(", ")}`]));
  return make("section", {}, parts);
}

/** @param {any} schema @param {string} reference */
function named(schema, reference) {
  return schema.components.schemas[reference.split("/").at(-1) ?? ""]?.properties ?? {};
}

void show();
