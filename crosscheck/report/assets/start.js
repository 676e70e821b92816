// The start, when the document is there.

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
  const over = ({ target }) => target.classList.toggle('over', target.scrollWidth > target.clientWidth);
  const sized = new ResizeObserver((boxes) => requestAnimationFrame(() => boxes.forEach(over)));
  all('.scroll').forEach((box) => sized.observe(box));
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
  if (sections.length < 2 && !document.querySelector('.matrix.card')) $('filters').hidden = true;
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

addEventListener('DOMContentLoaded', start);
