// Tables: those that are written out whole hold their rows, the others have them in the data.

const MORE = 200;

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
    const keys = numeric ? this.rows.map((row) => this.value(column, row)) : this.places(column);
    // Rows without a number stay at the end, whichever way the others go.
    const none = (row) => numeric && (keys[row] === null || Number.isNaN(keys[row]));
    this.order = this.rows.map((_, i) => i).sort((a, b) => none(a) - none(b) || (none(a) ? 0 : way * (keys[a] - keys[b])) || a - b);
    this.limit = Math.min(this.limit, Math.max(this.first, MORE));
    this.show();
  }

  // The place of each row's text among the different ones, which are fewer.
  places(column) {
    const said = this.rows.map((row) => this.said(column, row));
    const place = new Map([...new Set(said)].sort(collator.compare).map((text, i) => [text, i]));
    return said.map((text) => place.get(text));
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

  has(key, want) {
    const column = this.keys.indexOf(key);
    return column >= 0 && this.rows.some(this.each(column, (said) => fits(said, want)));
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

// As id() in html.py: a short name does not break at its hyphens.
const coded = (id) => make('code', { class: id.length <= 28 ? 'whole' : 'long' }, id);

function put(into, cell) {
  if (typeof cell === 'string') into.append(cell);
  else if ('id' in cell) {
    const labels = cell.id.split(' + ');
    const link = (label) => make('a', { class: 'label-link', href: `#label-${label}` }, coded(label));
    if (!labels.every((label) => $(`label-${label}`))) into.append(coded(cell.id));
    else into.append(...labels.flatMap((label, i) => (i ? [' + ', link(label)] : [link(label)])));
  }
  else if ('status' in cell) {
    into.append(make('span', { class: `status ${cell.status}` }, make('span', { 'aria-hidden': 'true' }, cell.glyph), ` ${cell.status}`));
  } else cell.parts.forEach((part) => put(into, part));
}
