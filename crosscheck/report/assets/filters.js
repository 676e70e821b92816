// Filters: tool:x measure:"a b" words; the same key twice is either, different keys are both.

const KEYS = ['status', 'tool', 'measure', 'cause', 'convention', 'family', 'case'];

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

// Whether any finding, row or cell of the matrix has a value.
function is(key, want) {
  return sections.some((section) => (section.tags[key] || []).some((tag) => fits(tag, want)))
    || tables.some((table) => table.has(key, want))
    || cells.some(([cell, tool, measure]) => (key === 'status' ? cell.classList.contains(want) : fits({ tool, measure }[key] || '', want)));
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
  const unknown = keys.flatMap((key) => tokens[key].filter((want) => !is(key, want)).map((want) => `there is no ${key} "${want}" here`));
  const keyed = shown ? [] : words.map((word) => /^([a-z]+):./.exec(word)).filter(Boolean);
  unknown.push(...keyed.map(([, key]) => `"${key}" is no key of the filter (${KEYS.join(', ')})`));
  $('counts').textContent = [asked ? `${shown} of ${total} ${noun} pass the filter` : `${total} ${noun}`, ...unknown].join('; ') + '.';
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

let waiting;

function changed() {
  clearTimeout(waiting);
  const query = $('filter').value.trim();
  apply(query);
  const address = query ? `#?${encodeURIComponent(query)}` : location.pathname + location.search;
  try { history.replaceState(null, '', address); } catch { location.hash = query ? `?${encodeURIComponent(query)}` : ''; }
}

// At the start, without an event, a filter is applied also where the address names a place alone.
function addressed(event) {
  const [, query, anchor] = /^#(?:\?([^#]*))?#?(.*)$/.exec(location.hash || '#');
  let wanted = '';
  try { wanted = decodeURIComponent(query || ''); } catch { /* not one of ours */ }
  if (query !== undefined || !anchor || !event) {
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
  clearTimeout(waiting);
  const anchor = link.getAttribute('href').slice(1);
  reveal($(anchor));
  const kept = $('filter').value.trim();
  history.pushState(null, '', kept ? `#?${encodeURIComponent(kept)}#${anchor}` : `#${anchor}`);
}
