// The theme first, so that nothing flashes; then helpers that all parts use.

const root = document.documentElement;

// Some browsers keep nothing for files.
const kept = {
  get() { try { return localStorage.getItem('crosscheck-theme'); } catch { return null; } },
  set(value) { try { localStorage.setItem('crosscheck-theme', value); } catch { /* not kept */ } },
};
if (kept.get() === 'dark' || kept.get() === 'light') root.dataset.theme = kept.get();

const $ = (id) => document.getElementById(id);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'onclick') element.addEventListener('click', value);
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}
