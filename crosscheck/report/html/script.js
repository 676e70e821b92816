'use strict';
(() => {
const root = document.documentElement;
const KEYS = ['status', 'tool', 'measure', 'cause', 'case'];
const MORE = 200;

// The theme first, so that nothing flashes. Some browsers keep nothing for files.
const kept = {
  get() { try { return localStorage.getItem('crosscheck-theme'); } catch { return null; } },
  set(value) { try { localStorage.setItem('crosscheck-theme', value); } catch { /* not kept */ } },
};
if (kept.get() === 'dark' || kept.get() === 'light') root.dataset.theme = kept.get();
addEventListener('DOMContentLoaded', start);

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

// ---- tables: those that are written out whole hold their rows, the others have them in the data ----

class DataTable {
  constructor(box, data) {
    this.box = box;
    this.body = box.querySelector('tbody');
    this.rest = box.querySelector('.rest');
    this.heads = all('th', box);
    this.keys = this.heads.map((head) => head.dataset.key || '');
    this.columns = data ? data.columns : null;
    this.noun = this.rest.textContent.trim().replace(/^[\d,]+ more /, '').replace(/:.*/, '') || 'rows';
    this.trs = data ? null : all('tr', this.body);
    this.size = data ? (data.columns[0].where || data.columns[0].text).length : this.trs.length;
    this.limit = this.first = data ? data.limit : this.size;
    this.order = this.rows = Array.from({ length: this.size }, (_, i) => i);
    if (this.size > 1) this.heads.forEach((head, i) => this.sortable(head, i));
  }

  sortable(head, i) {
    const button = make('button', { type: 'button', onclick: () => this.sort(i) });
    button.append(...head.childNodes);
    head.append(button);
  }

  // What a cell says, for filters and sorting by text.
  said(column, row) {
    if (!this.columns) return this.trs[row].cells[column].textContent;
    const held = this.columns[column];
    return held.text ? held.text[row] : plain(held.cells[held.where[row]]);
  }

  // A number where there is one; texts such as 44 of 45 sort by their first.
  value(column, row) {
    const held = this.columns && this.columns[column];
    if (held && held.value) return held.value[row];
    const written = held ? undefined : this.trs[row].cells[column].dataset.v;
    return written === undefined ? parseFloat(this.said(column, row).replaceAll(',', '')) : Number(written);
  }

  sort(column) {
    const up = this.heads[column].getAttribute('aria-sort') === 'descending';
    this.heads.forEach((head) => head.removeAttribute('aria-sort'));
    this.heads[column].setAttribute('aria-sort', up ? 'ascending' : 'descending');
    const way = up ? 1 : -1;
    const numeric = this.heads[column].classList.contains('is-number');
    const keys = this.rows.map((row) => (numeric ? this.value(column, row) : this.said(column, row)));
    const compare = numeric
      ? (a, b) => keys[a] - keys[b]
      : (a, b) => collator.compare(keys[a], keys[b]);
    // Rows without a number stay at the end, whichever way the others go.
    const none = (row) => numeric && (keys[row] === null || Number.isNaN(keys[row]));
    this.order = this.rows.map((_, i) => i).sort((a, b) => none(a) - none(b) || (none(a) ? 0 : way * compare(a, b)) || a - b);
    this.limit = Math.min(this.limit, Math.max(this.first, MORE));
    this.show();
  }

  // Which rows pass; words that the section around says need not stand in the row.
  filter(tokens, words) {
    const tests = [];
    this.keys.forEach((key, column) => {
      const wanted = key && tokens[key];
      if (wanted) tests.push(this.each(column, (said) => wanted.some((word) => fits(said, word))));
    });
    for (const word of words) {
      const hits = this.heads.map((_, column) => this.each(column, (said) => said.toLowerCase().includes(word)));
      tests.push((row) => hits.some((hit) => hit(row)));
    }
    this.passing = tests.length ? (row) => tests.every((test) => test(row)) : null;
    this.found = this.passing ? this.rows.filter(this.passing).length : this.size;
    return this.found;
  }

  // A test of the rows that looks at each different cell once.
  each(column, test) {
    const held = this.columns && this.columns[column];
    if (!held || !held.cells) return (row) => test(this.said(column, row));
    const hit = held.cells.map((cell) => test(plain(cell)));
    return (row) => hit[held.where[row]];
  }

  show() {
    const passing = this.passing ? this.order.filter(this.passing) : this.order;
    const shown = passing.slice(0, this.limit);
    this.body.replaceChildren(...shown.map((row) => (this.trs ? this.trs[row] : this.tr(row))));
    const more = passing.length - shown.length;
    const all = this.size - passing.length;
    this.rest.replaceChildren();
    if (all) this.rest.append(`${passing.length.toLocaleString('en')} of ${this.size.toLocaleString('en')} pass the filter.`);
    if (more) {
      this.rest.append(`${more.toLocaleString('en')} more ${this.noun}`);
      this.rest.append(make('button', { type: 'button', onclick: () => this.grow(MORE) }, `Show ${Math.min(MORE, more)} more`));
    }
  }

  grow(by) {
    const last = this.body.rows.length;
    this.limit += by;
    this.show();
    const row = this.body.rows[last];
    if (row) { row.tabIndex = -1; row.focus(); }
  }

  tr(row) {
    return make('tr', {}, ...this.columns.map((held, i) => {
      const cell = make('td', { class: this.heads[i].className });
      if (held.text) {
        cell.className = 'is-number';
        if (held.value[row] !== null) cell.title = held.value[row];
        cell.append(held.text[row]);
      } else put(cell, held.cells[held.where[row]]);
      return cell;
    }));
  }
}

const collator = new Intl.Collator('en', { numeric: true });

function plain(cell) {
  if (typeof cell === 'string') return cell;
  return cell.id ?? cell.status ?? cell.parts.map(plain).join('');
}

function put(into, cell) {
  if (typeof cell === 'string') into.append(cell);
  else if ('id' in cell) into.append(make('code', {}, cell.id));
  else if ('status' in cell) {
    into.append(make('span', { class: `status ${cell.status}` }, make('span', { 'aria-hidden': 'true' }, cell.glyph), ` ${cell.status}`));
  } else cell.parts.forEach((part) => put(into, part));
}

// ---- filters: tool:x measure:"a b" words; the same key twice is either, different keys are both ----

// A cell may say more than the name: a version, the run beside the case, several causes.
function fits(said, wanted) {
  if (wanted.endsWith('*')) return said.startsWith(wanted.slice(0, -1));
  return said === wanted || said.startsWith(`${wanted} `) || said.split(' + ').includes(wanted);
}

function read(query) {
  const tokens = Object.create(null);
  const words = [];
  for (const [, key, quoted, bare] of query.matchAll(/(?:(\w+):)?(?:"((?:[^"\\]|\\.)*)"|(\S+))/g)) {
    const value = quoted === undefined ? bare : quoted.replace(/\\(.)/g, '$1');
    if (KEYS.includes(key)) (tokens[key] ||= []).push(value);
    else if (value) words.push((key ? `${key}:${value}` : value).toLowerCase());
  }
  return { tokens, words };
}

function token(key, value) {
  return /[\s"\\]/.test(value) || !value ? `${key}:"${value.replace(/["\\]/g, '\\$&')}"` : `${key}:${value}`;
}

let sections = [];
let tables = [];
let cells = [];

function apply(query) {
  const { tokens, words } = read(query);
  const keys = Object.keys(tokens);
  const asked = keys.length || words.length;
  for (const table of tables) {
    const left = table.section ? words.filter((word) => !table.section.said().includes(word)) : words;
    table.filter(tokens, left);
    table.left = left.length;
    table.show();
  }
  let shown = 0;
  for (const section of sections) {
    const tagged = keys.every((key) => (section.tags[key] || []).some((tag) => tokens[key].some((want) => fits(tag, want))));
    const said = words.every((word) => section.said().includes(word)) || section.tables.some((table) => table.left && table.found);
    section.element.hidden = !(tagged && said);
    if (section.counted) shown += !section.element.hidden;
    const folded = section.element.closest('details');
    if (asked && folded && !section.element.hidden) folded.open = true;
  }
  for (const [cell, tool, measure] of cells) {
    const out = tokens.tool && !tokens.tool.some((want) => fits(tool, want));
    const over = tokens.measure && !tokens.measure.some((want) => fits(measure, want));
    const other = tokens.status && !tokens.status.some((want) => cell.classList.contains(want));
    cell.classList.toggle('dim', Boolean(out || over || other));
  }
  for (const link of all('[data-for]')) {
    const section = $(link.dataset.for);
    link.parentElement.hidden = Boolean(section && section.hidden);
  }
  const total = sections.filter((section) => section.counted).length;
  const noun = total === 1 ? 'finding' : 'findings';
  $('counts').textContent = asked ? `${shown} of ${total} ${noun} pass the filter.` : `${total} ${noun}.`;
  $('empty').hidden = shown > 0 || !asked;
  for (const chip of all('.chips button')) chip.setAttribute('aria-pressed', String(has(tokens, chip.dataset.key, chip.dataset.value)));
}

const has = (tokens, key, value) => Boolean((tokens[key] || []).includes(value));

function toggle(key, value) {
  const { tokens, words } = read($('filter').value);
  const others = (tokens[key] || []).filter((held) => held !== value);
  tokens[key] = has(tokens, key, value) ? others : [...others, value];
  const parts = KEYS.flatMap((name) => (tokens[name] || []).map((held) => token(name, held)));
  $('filter').value = [...parts, ...words.map((word) => (/\s/.test(word) ? `"${word}"` : word))].join(' ');
  changed();
}

// ---- the address: #?filter, or #anchor, or #?filter#anchor ----

function changed() {
  const query = $('filter').value.trim();
  apply(query);
  const address = query ? `#?${encodeURIComponent(query)}` : location.pathname + location.search;
  try { history.replaceState(null, '', address); } catch { location.hash = query ? `?${encodeURIComponent(query)}` : ''; }
}

function addressed() {
  const [, query, anchor] = /^#(?:\?([^#]*))?#?(.*)$/.exec(location.hash || '#');
  let wanted = '';
  try { wanted = decodeURIComponent(query || ''); } catch { /* not one of ours */ }
  if (query !== undefined || !anchor) {
    $('filter').value = wanted;
    apply(wanted);
  }
  if (anchor) reveal($(anchor));
}

function reveal(element) {
  if (!element) return;
  if (element.closest('[hidden]')) { $('filter').value = ''; apply(''); }
  for (let at = element; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
  element.scrollIntoView();
  element.focus({ preventScroll: true });
}

function followed(event) {
  const link = event.target.closest('a[href^="#"]');
  const query = $('filter').value.trim();
  if (!link || !query || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const anchor = link.getAttribute('href').slice(1);
  reveal($(anchor));
  const kept = $('filter').value.trim();
  history.pushState(null, '', kept ? `#?${encodeURIComponent(kept)}#${anchor}` : `#${anchor}`);
}

// ---- copying ----

async function copy(text, what) {
  try { await navigator.clipboard.writeText(text); } catch {
    const area = make('textarea', { class: 'hidden' });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  $('said').textContent = '';
  setTimeout(() => { $('said').textContent = `${what} copied.`; });
}

function copier(button, what, text) {
  const label = button.textContent;
  button.addEventListener('click', async () => {
    await copy(text(), what);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = label; }, 1500);
  });
}

// Markdown of a finding: ids as code, everything else without markup and mentions.
function issue(section) {
  const lines = [];
  const walk = (element) => {
    for (const child of element.children) {
      if (child.matches('.heading')) lines.push(`### ${inline(child.firstElementChild)}`);
      else if (child.matches('p:not(.rest),figcaption')) lines.push(inline(child));
      else if (child.matches('ul')) lines.push([...child.children].map((item) => `- ${inline(item)}`).join('\n'));
      else if (child.matches('dl')) lines.push(all('div', child).map((row) => `- ${inline(row.children[0])}: ${inline(row.children[1])}`).join('\n'));
      else if (child.matches('pre')) lines.push(fenced(child.textContent));
      else if (child.matches('table')) lines.push(tabled(child));
      else if (child.matches('div,section,figure,details') && !child.matches('.chart,.numbers')) walk(child);
    }
  };
  walk(section);
  return `${lines.filter(Boolean).join('\n\n')}\n`;
}

function inline(element) {
  return [...element.childNodes].map((node) => {
    if (node.nodeName === 'CODE') return code(node.textContent);
    if (node.nodeType === 1) return node.matches('.hidden,button::after') ? '' : inline(node);
    return node.textContent.replace(/[\\`*_<>\[\]#|~@&]/g, (c) => (c === '@' ? '&#64;' : c === '&' ? '&amp;' : `\\${c}`));
  }).join('').replace(/\s+/g, ' ').trim();
}

function code(text) {
  const fence = '`'.repeat(1 + Math.max(0, ...(text.match(/`+/g) || []).map((run) => run.length)));
  const space = fence.length > 1 || !text.trim() ? ' ' : '';
  return `${fence}${space}${text.replaceAll('|', '\\|')}${space}${fence}`;
}

function fenced(text) {
  const fence = '`'.repeat(Math.max(3, 1 + Math.max(0, ...(text.match(/`+/g) || []).map((run) => run.length))));
  return `${fence}\n${text}\n${fence}`;
}

function tabled(table) {
  const heads = all('th', table);
  const rows = all('tbody tr', table).slice(0, 10).map((row) => `| ${[...row.cells].map(inline).join(' | ')} |`);
  const marks = heads.map((head) => (head.classList.contains('is-number') ? '--:' : '---'));
  return [`| ${heads.map(inline).join(' | ')} |`, `|${marks.join('|')}|`, ...rows].join('\n');
}

// ---- the start ----

function start() {
  root.classList.add('scripted');
  all('.js').forEach((element) => { element.hidden = false; });
  all('.nojs').forEach((element) => element.remove());
  themes();
  const data = JSON.parse($('data').textContent);
  tables = all('.table').map((box) => new DataTable(box, data[box.id]));
  findings();
  matrix();
  all('.copy').forEach((button) => copier(button, 'Command', () => button.previousElementSibling.textContent));
  all('.issue').forEach((button) => copier(button, 'Finding', () => issue(button.closest('section'))));
  document.addEventListener('click', followed);
  addEventListener('hashchange', addressed);
  addEventListener('beforeprint', () => all('details').forEach((details) => { details.dataset.was = details.open; details.open = true; }));
  addEventListener('afterprint', () => all('details').forEach((details) => { details.open = details.dataset.was === 'true'; }));
  addressed();
}

function themes() {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const dark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : system.matches);
  const tell = () => $('theme').setAttribute('aria-pressed', String(dark()));
  $('theme').addEventListener('click', () => {
    root.dataset.theme = dark() ? 'light' : 'dark';
    kept.set(root.dataset.theme);
    tell();
  });
  system.addEventListener('change', tell);
  tell();
}

function findings() {
  const counts = Object.fromEntries(KEYS.map((key) => [key, new Map()]));
  sections = all('[data-tags]').map((element) => {
    const tags = JSON.parse(element.dataset.tags);
    let said;
    const section = {
      element, tags,
      counted: !element.parentElement.closest('[data-tags]'),
      tables: tables.filter((table) => element.contains(table.box)),
      // The words around the tables; a table looks at its rows itself.
      said: () => (said ??= (all('h2,h3,h4,p:not(.rest),li,dd,dt,pre,figcaption', element).map((part) => part.textContent).join(' ')
        + Object.values(tags).flat().join(' ')).toLowerCase()),
    };
    section.tables.forEach((table) => { table.section = section; });
    if (section.counted) for (const key of KEYS) for (const tag of tags[key] || []) counts[key].set(tag, (counts[key].get(tag) || 0) + 1);
    return section;
  });
  const empty = make('p', { class: 'empty', id: 'empty', hidden: '' }, 'No finding passes the filter. ',
    make('button', { type: 'button', onclick: clear }, 'Clear the filter'));
  $('filters').after(empty);
  if (sections.length < 2 && !document.querySelector('.matrix')) $('filters').hidden = true;
  for (const key of KEYS) {
    const found = [...counts[key]].sort((a, b) => b[1] - a[1]);
    for (const [value] of found) $('tokens').append(make('option', { value: token(key, value) }));
    if (!found.length) continue;
    const chips = found.slice(0, 20).map(([value, number]) => make('button', {
      type: 'button', 'data-key': key, 'data-value': value, 'aria-pressed': 'false', onclick: () => toggle(key, value),
    }, value, ' ', make('span', { class: 'n' }, String(number))));
    if (key === 'status') { $('presets').append(...chips); continue; }
    const more = found.length > 20 ? [` and ${found.length - 20} more: type ${key}:`] : [];
    $('facets').append(make('div', {}, make('span', { id: `by-${key}` }, key),
      make('div', { class: 'chips', role: 'group', 'aria-labelledby': `by-${key}` }, ...chips, ...more)));
  }
  let waiting;
  $('filter').addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(changed, 120); });
  $('filters').addEventListener('submit', (event) => { event.preventDefault(); changed(); });
  $('clear').addEventListener('click', clear);
  addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'k') { event.preventDefault(); $('filter').focus(); }
    if (event.key === 'Escape' && document.activeElement === $('filter')) clear();
  });
}

function clear() {
  $('filter').value = '';
  changed();
  $('filter').focus();
}

function matrix() {
  for (const table of all('.matrix table')) {
    const measures = all('thead th', table).map((head) => head.textContent);
    for (const row of table.tBodies[0].rows) {
      all('td', row).forEach((cell, i) => cells.push([cell, row.cells[0].textContent, measures[i]]));
    }
  }
}
})();
