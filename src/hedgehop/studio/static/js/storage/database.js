// SPDX-License-Identifier: BSD-3-Clause
const NAME = "hedgehop studio";
const STORE = "work";
const MOST = 60; // images whose work is kept

/** @type {Promise<IDBDatabase> | null} */
let opened = null;

/** The browser's own database; it may refuse. @returns {Promise<IDBDatabase>} */
function database() {
  opened ??= new Promise((done, fail) => {
    const asked = indexedDB.open(NAME, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(STORE, { keyPath: "key" }).createIndex("time", "time");
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => fail(asked.error);
  });
  return opened;
}

/** @template T @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest<T>} act @returns {Promise<T>} */
async function ask(mode, act) {
  const store = (await database()).transaction(STORE, mode).objectStore(STORE);
  return new Promise((done, fail) => {
    const asked = act(store);
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => fail(asked.error);
  });
}

/** @param {string} key @returns {Promise<any>} */
export const read = (key) => ask("readonly", (store) => store.get(key));

/** @param {{key: string, time: number} & Record<string, unknown>} record */
export async function write(record) {
  await ask("readwrite", (store) => store.put(record));
  const count = await ask("readonly", (store) => store.count());
  if (count > MOST) await forgetOldest(count - MOST);
}

/** @param {number} count */
async function forgetOldest(count) {
  const keys = await ask("readonly", (store) => store.index("time").getAllKeys(null, count));
  for (const key of keys) await ask("readwrite", (store) => store.delete(key));
}
